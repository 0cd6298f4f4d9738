// Checked by `tsc`, as the rest of the project is; nothing here runs.
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import type {
  PendingNode,
  PendingNodeReceipt,
  PendingNodeTransport,
  Status,
} from '../../plugin/index.ts'

const hash = `0x${'00'.repeat(32)}` as const

export async function overrides({ network }: HardhatRuntimeEnvironment): Promise<void> {
  await network.create({ network: 'pending', override: { pendingNode: { frozen: true } } })
  await network.create({ override: { timeout: 5, pendingNode: { mnemonic: '' } } })
  // @ts-expect-error: a number of ms
  await network.create({ override: { pendingNode: { tickInterval: '5' } } })
  // @ts-expect-error: no such option
  await network.create({ override: { pendingNode: { frozn: true } } })
  // @ts-expect-error: Hardhat shares connections without overrides only
  await network.getOrCreate({ override: { pendingNode: {} } })
}

export async function connections({ network }: HardhatRuntimeEnvironment): Promise<void> {
  await using connection = await network.create('pending')
  const { pendingNode } = connection
  const node: PendingNode = pendingNode
  const statuses: Status[] = [
    await node.freeze(),
    await node.freeze({ ticks: true }),
    await node.resume(),
    await node.tick(),
    await node.tick(3),
    await node.seal(2),
    await node.advance({ ticks: 1 }),
    await node.advance({ blocks: 1 }),
    await node.status(),
  ]
  const running: boolean | undefined = statuses[0]?.sealing.running
  const receipt: PendingNodeReceipt = await node.preconfirmed(hash)
  const sealed: PendingNodeReceipt = await node.sealed(hash, { timeout: 100 })
  const url: string = node.url
  await node.wallet.policy({ default: 'hold' })
  // @ts-expect-error: no such decision
  await node.wallet.policy({ default: 'perhaps' })
  const answer: 42 = await node.withFrozenSealing(() => 42 as const)
  const later: string = await node.withFrozenSealing(async () => sealed.blockHash)
  void [running, receipt, url, answer, later]

  // @ts-expect-error: it may say nothing, but not this
  await node.freeze({ tick: true })
  // @ts-expect-error: a number
  await node.tick('3')
  // @ts-expect-error: ticks or blocks
  await node.advance(3)
  // @ts-expect-error: one of them
  await node.advance({})
  // @ts-expect-error: not both
  await node.advance({ ticks: 1, blocks: 1 })
  // @ts-expect-error: a hash is text
  await node.preconfirmed(1n)
  // @ts-expect-error: only ms
  await node.sealed(hash, { timeout: '1s' })
  // @ts-expect-error: work to do
  await node.withFrozenSealing(42)
  // @ts-expect-error: it belongs to the node
  node.url = 'http://127.0.0.1:8545'
}

export async function resolved({ config }: HardhatRuntimeEnvironment): Promise<void> {
  const network = config.networks.pending
  if (network?.type !== 'http') {
    // @ts-expect-error: only http networks have a node
    void network?.pendingNode
    return
  }
  const transport: PendingNodeTransport | undefined = network.pendingNode?.transport
  void transport
}
