import { describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../devnet/faults/types.ts'
import { profileOf } from '../../../devnet/options/profileTable.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { flashblocks } from '../../../devnet/stream/raw/flashblock.ts'
import { createRpcChain, ZERO_HASH } from '../rpc/methods/rpcChain.ts'
import { createFollower, expectEqual } from '../stream/raw/follower.ts'
import { createSubscribed } from '../stream/subscribedChain.ts'
import { nodeUnder } from './faultyNode.ts'

const STALL: FaultRule = { kind: 'stall', next: 1 }

/** Faults that change a block right before its seal. */
const AT_SEAL: readonly FaultRule[] = [
  { kind: 'drop', nonce: 0 },
  { kind: 'reorder' },
  { kind: 'truncate' },
  STALL,
]

describe('what a stalled block takes', () => {
  test('eth_sendRawTransactionSync answers once it is sealed', async () => {
    const node = await nodeUnder([], { syncTimeout: 4000 })
    const signed = await node.call('eth_signTransaction', {
      from: node.account(0).address,
      to: node.account(1).address,
      nonce: '0x0',
      gas: '0x5208',
      maxFeePerGas: '0x77359400',
      maxPriorityFeePerGas: '0x1',
      chainId: '0x7a69',
    })
    await node.call('preconf_faults', { rules: [STALL] })
    const receipt = node.call<{ blockHash: Hex }>('eth_sendRawTransactionSync', signed)
    await node.tick()
    await node.seal()
    const { hash } = await node.call<{ hash: Hex }>('eth_getBlockByNumber', 'latest', false)
    expect((await receipt).blockHash).toBe(hash)
    expect(hash).not.toBe(ZERO_HASH)
  })

  test('subscribers hear of it with the block', async () => {
    const node = await createSubscribed()
    const kinds = ['newFlashblocks', 'newFlashblockTransactions', 'pendingLogs'] as const
    for (const kind of kinds) await node.subscribe(kind)
    const logs = await node.subscribe('logs')
    await node.call('preconf_faults', { rules: [STALL] })
    await node.emit(1)
    await node.tick()
    await node.seal()
    expect(node.results()).toEqual(node.results(logs))
    const { length } = node.results(logs)
    expect(length).toBeGreaterThan(0)
    // The stall is over.
    await node.emit(2)
    await node.tick()
    expect(node.results().length).toBeGreaterThanOrEqual(length + kinds.length)
  })

  test('no view of the pending block has it', async () => {
    const node = await nodeUnder([STALL])
    const hash = await node.send(0)
    await node.tick()
    const places: (string | undefined)[] = []
    node.chain.events.published.add(({ isAtSeal }) => {
      if (!isAtSeal) places.push(node.chain.findTransaction(hash)?.at)
    })
    node.chain.events.ticked.add(() => places.push(node.chain.findTransaction(hash)?.at))
    const sealed = node.seal()
    for (let turn = 0; node.chain.head.number === 0; turn++) {
      await Promise.resolve()
      places.push(node.chain.findTransaction(hash)?.at)
      if (turn > 10_000) break
    }
    await sealed
    expect(new Set(places)).toEqual(new Set(['mempool', 'sealed']))
  })

  test('what was pre-confirmed before the stall stays, other faults see only that', async () => {
    const rules: FaultRule[] = [{ kind: 'stall', tick: 1 }, { kind: 'drop' }, { kind: 'truncate' }]
    const node = await nodeUnder(rules)
    const first = await node.send(0)
    await node.tick()
    const second = await node.send(1)
    await node.tick()
    const { dropped } = await node.seal()
    expect(dropped.map(({ hash }) => hash)).toEqual([first])
    expect(await node.block()).toEqual([second])
  })

  test('what is truncated does not come back in the same block', async () => {
    const node = await nodeUnder([{ kind: 'stall', tick: 1 }, { kind: 'truncate' }])
    const first = await node.send(0)
    await node.tick()
    const second = await node.send(1)
    await node.tick()
    await node.seal()
    expect(await node.block()).toEqual([second])
    expect((await node.tick()).pending.transactions).toMatchObject([{ hash: first }])
  })
})

/** Has some blocks sealed under rules. */
async function sealUnder(rule: FaultRule, profile: 'plain' | 'base-flashblocks') {
  const { send, ...node } = await createRpcChain({ profile })
  const follower = await createFollower({ ...node, send }, { profile })
  await node.call('hardhat_reset')
  const texts: string[] = []
  flashblocks(profileOf(profile))(node.chain).add(({ text }) => texts.push(text.text))
  await node.call('preconf_faults', { rules: [rule] })
  for (let block = 0; block < 3; block++) {
    for (const senders of [[0, 1, 2], [3]]) {
      for (const sender of senders) {
        const [from, to] = [node.account(sender).address, node.account(9).address]
        await node.call('eth_sendTransaction', { from, to })
      }
      await node.call('preconf_advance', { ticks: 1 })
    }
    await node.call('preconf_seal')
  }
  return { node: { ...node, send }, follower, texts }
}

test.each(AT_SEAL)('a replica has the blocks that $kind has changed', async (rule) => {
  const { node, follower } = await sealUnder(rule, 'plain')
  await follower.read()
  expectEqual(node, follower.copy)
})

test.each(AT_SEAL)('a network does not tell of $kind', async (rule) => {
  const { node, texts } = await sealUnder(rule, 'base-flashblocks')
  // One build for each block that opens, as without faults.
  const builds = texts.map((text) => JSON.parse(text) as { base?: object })
  expect(builds.filter(({ base }) => base !== undefined)).toHaveLength(node.chain.head.number)
})
