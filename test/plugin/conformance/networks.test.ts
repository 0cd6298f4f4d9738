import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import { describe, expect, test } from 'vitest'
import { createDevnet } from '../../../devnet/index.ts'
import { optionTable, type ProfileName } from '../../../devnet/options/optionTable.ts'
import { conformance } from '../../../plugin/conformance/index.ts'
import { anvilProgram, startAnvil } from '../../support/anvil.ts'
import { startHardhat } from '../../support/peerNode.ts'
import { type Falsify, startFalsifier } from './falsifier.ts'

const { choices } = optionTable.profile

async function start(profile: ProfileName) {
  const devnet = createDevnet({ port: 0, noWallet: true, profile })
  await devnet.start()
  return { url: devnet.url, [Symbol.asyncDispose]: () => devnet.stop() }
}

test.concurrent.each(choices)('a node of %s passes', { timeout: 60_000 }, async (profile) => {
  await using node = await start(profile)
  const { failed, passed } = await conformance(node.url, { profile })
  expect(failed).toEqual([])
  // Blocks of 200 ms may be sealed before anyone could look at them.
  expect(passed.length).toBeGreaterThan(25)
})

const namesOf = ({ failed }: Awaited<ReturnType<typeof conformance>>) =>
  failed.map(({ name }) => name).sort()

/** Checks of Base that fail on every node that is no rollup and pre-confirms nothing. */
const FOREIGN = [
  ...['aware.eth_sendRawTransactionSync', 'emptyPending', 'errors.estimate', 'errors.gap'],
  ...['kinds.newFlashblockTransactions', 'kinds.newFlashblocks'],
  ...['kinds.pendingLogs', 'kinds.syncing', 'opStack.GasPriceOracle', 'opStack.L1Block'],
  ...['opStack.L2ToL1MessagePasser', 'opStack.WETH', 'opStack.deposit'],
  ...['opStack.fee', 'opStack.number', 'opStack.receipt', 'preconfirms', 'sealInterval'],
  'silentKinds.newPendingTransactions',
]

describe.concurrent('other nodes fail, and the run ends', { timeout: 60_000 }, () => {
  const program = anvilProgram()

  test.skipIf(program === undefined)('anvil', async ({ expect }) => {
    await using anvil = await startAnvil(program ?? '')
    // It has more than Base had.
    const others = ['kinds.transactionReceipts']
    const names = namesOf(await conformance(anvil.url, { profile: 'base-flashblocks' }))
    // It counts the nonces of its pool, which shows only if a look falls between send and block.
    expect(names.filter((name) => name !== 'poolNonces')).toEqual([...FOREIGN, ...others].sort())
  })

  test('hardhat node', async ({ expect }) => {
    await using node = await startHardhat(await createHardhatRuntimeEnvironment({}))
    // It refuses what it does not know with another code, and has no eth_sendRawTransactionSync.
    const others = ['errors.call', 'errors.send', 'longSync', 'mempool']
    expect(namesOf(await conformance(node.url, { profile: 'base-flashblocks' }))).toEqual(
      [...FOREIGN, ...others].sort(),
    )
  })

  test('our own node, as another network', async ({ expect }) => {
    await using node = await start('unichain')
    const { failed } = await conformance(node.url, { profile: 'xlayer' })
    expect(failed).toContainEqual({
      name: 'pendingHash.block',
      subject: 'Before the seal',
      expected: '`hash` of the pending block: of its header',
      source: expect.stringContaining('okx/xlayer-reth'),
      came: JSON.stringify(`0x${'00'.repeat(32)}`),
    })
    const wrong = ['aware.eth_getCode', 'callBlock', 'kinds.flashblocks', 'longSync']
    expect(failed.map(({ name }) => name)).toEqual(expect.arrayContaining(wrong))
  })
})

test.concurrent('an endpoint that hangs ends the run with a sentence', { timeout: 60_000 }, async ({
  expect,
}) => {
  await using node = await start('unichain')
  const hang = () => new Promise<undefined>(() => undefined)
  await using silent = await startFalsifier(node.url, hang)
  await expect(conformance(silent.url, { profile: 'unichain' })).rejects.toThrow(/^No node answers/)
  const blocks = (method: string) => (method === 'eth_getBlockByNumber' ? hang() : undefined)
  await using slow = await startFalsifier(node.url, blocks)
  const only = ['errors.send', 'emptyPending', 'kinds.newHeads']
  const report = await conformance(slow.url, { profile: 'unichain', only })
  expect(namesOf(report)).toEqual(['emptyPending'])
})

const STRANGER = `0x${'12'.repeat(32)}`

/** One lie each, and the checks that it makes fail. */
const LIES: readonly (readonly [lie: string, falsify: Falsify, checks: readonly string[]])[] = [
  [
    'the pending block has a hash',
    (method, [tag], { result, ...rest }) =>
      method === 'eth_getBlockByNumber' && tag === 'pending'
        ? { ...rest, result: { ...Object(result), hash: STRANGER } }
        : undefined,
    ['pendingHash.block'],
  ],
  [
    'a balance at pending is that at latest',
    (method, [, tag], message) =>
      method === 'eth_getBalance' && tag === 'pending' ? { ...message, result: '0x0' } : undefined,
    ['aware.eth_getBalance'],
  ],
  [
    'a sender without funds is refused with another code',
    (method, _, { error, ...rest }) =>
      method === 'eth_estimateGas' && error !== undefined
        ? { ...rest, error: { ...error, code: -32000 } }
        : undefined,
    ['errors.estimate'],
  ],
  [
    'there is no pendingLogs',
    (method, [kind], { id }) =>
      method === 'eth_subscribe' && kind === 'pendingLogs'
        ? { jsonrpc: '2.0', id, error: { code: -32602, message: 'no such kind' } }
        : undefined,
    ['kinds.pendingLogs'],
  ],
  [
    'a sealed receipt has no L1 fee',
    (method, _, { result, ...rest }) =>
      method === 'eth_getTransactionReceipt' && result !== null
        ? { ...rest, result: { ...Object(result), l1Fee: undefined } }
        : undefined,
    ['opStack.receipt'],
  ],
]

test.concurrent.each(LIES)(
  '%s: exactly its checks fail',
  { timeout: 60_000 },
  async (_, ...lie) => {
    const [falsify, checks] = lie
    await using node = await start('unichain')
    await using proxy = await startFalsifier(node.url, falsify)
    expect(namesOf(await conformance(proxy.url, { profile: 'unichain' }))).toEqual(checks)
  },
)
