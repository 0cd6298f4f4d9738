import { describe, expect, test } from 'vitest'
import type { FormattedBlock } from '../../../../devnet/json/formatBlock.ts'
import type { FormattedLog } from '../../../../devnet/json/receiptForm.ts'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { toHex } from '../../../../devnet/primitives/hex.ts'
import { createEmitterChain, EMITTER } from '../../stream/emitterChain.ts'
import { createSubscribed } from '../../stream/subscribedChain.ts'
import { createRpcChain, hex, type RpcChain } from './rpcChain.ts'

const OTHER: Hex = `0x${'aa'.repeat(20)}`

const pay = ({ call, account }: RpcChain, value: number) =>
  call<Hex>('eth_sendTransaction', {
    from: account(0).address,
    to: OTHER,
    value: hex(value),
    gas: '0x5208',
  })

/** A chain of `count` blocks, each with a payment of its own number. */
async function createPaid(count: number) {
  const node = await createRpcChain()
  const hashes: Hex[] = []
  for (let number = 1; number <= count; number++) {
    hashes.push(await pay(node, number))
    await node.call('evm_mine')
  }
  const block = (name: string | number) =>
    node.call<FormattedBlock>(
      'eth_getBlockByNumber',
      typeof name === 'number' ? hex(name) : name,
      false,
    )
  const balance = (at = 'latest') => node.call<Hex>('eth_getBalance', OTHER, at)
  return { ...node, hashes, block, balance }
}

test('default: the newest block and its transactions are gone', async () => {
  const node = await createPaid(3)
  const { call, hashes, block, balance, account } = node
  const [second, third] = [await block(2), await block(3)]

  expect(await call('anvil_rollback')).toBeNull()
  expect(await block('latest')).toEqual(second)
  expect(await balance()).toBe('0x3')
  expect(await call('eth_getTransactionCount', account(0).address, 'pending')).toBe('0x2')
  expect(await call('eth_getTransactionReceipt', hashes[2])).toBeNull()
  expect(await call('eth_getTransactionByHash', hashes[2])).toBeNull()
  expect(await call('eth_getBlockByHash', third.hash, false)).toBeNull()
  expect(await call('eth_getTransactionReceipt', hashes[1])).toMatchObject({ blockNumber: '0x2' })

  // Time is that of the block, so the same block follows again.
  expect(await pay(node, 3)).toBe(hashes[2])
  await call('evm_mine')
  expect(await block('latest')).toEqual(third)
})

test.each([
  ['number', 2],
  ['quantity', '0x2'],
  ['zero', 0],
  ['all', '0x3'],
  ['null', null],
])('args: depth as %s', async (_, depth) => {
  const { call, chain, balance } = await createPaid(3)
  await call('anvil_rollback', depth)
  const left = 3 - Number(depth ?? 1)
  expect(chain.head.number).toBe(left)
  expect(await balance()).toBe(hex((left * (left + 1)) / 2))
})

test('error: more blocks than there are', async () => {
  const { call, failure, chain } = await createPaid(2)
  const { hash } = chain.head
  const tooDeep = (depth: string) => ({
    code: -32602,
    message: `Rollback depth must not exceed current chain height: current height 2, depth ${depth}`,
  })
  expect(await failure('anvil_rollback', 3)).toEqual(tooDeep('3'))
  expect(await failure('anvil_rollback', '0xffffffff')).toEqual(tooDeep('4294967295'))
  expect(chain.head.hash).toBe(hash)
  await call('evm_mine')
})

test('error: blocks that are not kept', async () => {
  const { call, failure, chain } = await createRpcChain({ keepBlocks: 3 })
  await call('hardhat_mine', '0xa')
  expect(await failure('anvil_rollback', 3)).toEqual({
    code: -32000,
    message: 'block 7 is final: want a rollback to block 8 or later',
  })
  await call('anvil_rollback', 2)
  expect(chain.head.number).toBe(8)
  await call('evm_mine')
})

test('the state has the cheats made before the next block', async () => {
  const { call, chain, balance } = await createPaid(1)
  const sealed = chain.head.header.stateRoot
  await call('hardhat_setBalance', OTHER, '0x64')
  const proof = () => call<object>('eth_getProof', OTHER, [], 'latest')
  const proven = await proof()
  await call('hardhat_mine', '0x2')
  await call('hardhat_setBalance', OTHER, '0xff')

  await call('anvil_rollback', 2)
  expect(await balance()).toBe('0x64')
  expect(await balance('pending')).toBe('0x64')
  expect(await proof()).toEqual(proven)
  expect(chain.head.header.stateRoot).toEqual(sealed)
  // The next block's root commits to the cheat.
  await call('evm_mine')
  expect(toHex(chain.stateTrie(chain.head).root())).toBe(toHex(chain.head.header.stateRoot))
  expect(await balance('0x2')).toBe('0x64')
})

describe('the pending block', () => {
  test('what was pre-confirmed or waits runs again', async () => {
    const node = await createPaid(2)
    const { call, account, chain, balance } = node
    const from = account(1).address
    const send = (nonce: Hex) =>
      call<Hex>('eth_sendTransaction', { from, to: OTHER, value: '0x64', nonce, gas: '0x5208' })
    const preconfirmed = await send('0x0')
    const gap = await pay(node, 9)
    await call('preconf_advance', { ticks: 1 })
    const waiting = await send('0x1')
    expect(await balance('pending')).toBe(hex(3 + 100 + 9))

    await call('anvil_rollback')
    expect(await balance('pending')).toBe('0x1')
    // The payer's nonce 1 was in the block that is gone, so its nonce 2 is behind a gap.
    expect(await call('txpool_status')).toEqual({ pending: '0x2', queued: '0x1' })
    expect(await call('eth_getTransactionReceipt', preconfirmed)).toBeNull()
    await call('preconf_advance', { ticks: 1 })
    expect(chain.pending.executed.map(({ transaction }) => transaction.hash)).toEqual([
      preconfirmed,
      waiting,
    ])
    await pay(node, 2)
    await call('evm_mine')
    expect(await call('eth_getTransactionReceipt', gap)).toMatchObject({ status: '0x1' })
    expect(await balance()).toBe(hex(1 + 2 + 9 + 200))
  })

  test('a gas limit that was raised in between', async () => {
    const { call, account, chain } = await createPaid(1)
    await call('evm_setBlockGasLimit', 100_000_000)
    await call('evm_mine')
    await call('hardhat_setCoinbase', OTHER)
    expect(chain.pending.environment.gasLimit).toBe(100_000_000n)
    await call('anvil_rollback')
    expect(chain.pending.environment).toMatchObject({ gasLimit: 60_000_000n })
    expect(await call('eth_coinbase')).toBe(OTHER)
    await call('eth_sendTransaction', { from: account(0).address, to: OTHER })
    await call('evm_mine')
  })

  test('a transaction that fits no block any more is dropped', async () => {
    const { call, account, chain } = await createRpcChain({ hardfork: 'prague' })
    await call('evm_setBlockGasLimit', 100_000_000)
    await call('evm_mine')
    const big = await call<Hex>('eth_sendTransaction', {
      from: account(0).address,
      to: OTHER,
      gas: hex(80_000_000),
    })
    await call('anvil_rollback')
    expect(chain.mempool.size).toBe(0)
    expect(chain.dropped).toEqual([
      {
        hash: big,
        reason: 'exceeds block gas limit: it was lowered to 60000000',
        preconfirmed: false,
      },
    ])
  })
})

test('snapshots of blocks that are gone are gone, others stay', async () => {
  const { call, chain, balance } = await createPaid(1)
  const kept = await call('evm_snapshot')
  await call('hardhat_setBalance', OTHER, '0x64')
  await call('evm_mine')
  const gone = await call('evm_snapshot')
  await call('evm_mine')
  await call('anvil_rollback', 2)
  expect(await balance()).toBe('0x64')
  expect(await call('evm_revert', gone)).toBe(false)
  expect(await call('evm_revert', kept)).toBe(true)
  expect([chain.head.number, await balance()]).toEqual([1, '0x1'])
  await call('evm_mine')
})

test('reserved blocks', async () => {
  const node = await createPaid(2)
  const { call, chain, block, balance } = node
  await call('hardhat_mine', '0x3b9aca00', '0x2')
  await pay(node, 5)
  await call('evm_mine')
  const inside = await block(500_000_000)

  await call('anvil_rollback', 500_000_003)
  expect(await block('latest')).toEqual(inside)
  expect(await balance()).toBe('0x3')
  await pay(node, 7)
  await call('evm_mine')
  expect(await block('latest')).toMatchObject({
    number: hex(500_000_001),
    parentHash: inside.hash,
    timestamp: hex(Number(inside.timestamp) + 2),
  })
  expect(await balance()).toBe('0xa')
  expect(chain.history.byNumber(500_000_002)).toBeUndefined()
  await call('anvil_rollback', 500_000_001)
  expect([chain.head.number, await balance()]).toEqual([0, '0x0'])
})

test('chosen values of the next block are forgotten, and time goes back', async () => {
  const { call, clocks, block } = await createPaid(1)
  const { timestamp } = await block('latest')
  await call('evm_increaseTime', 5000)
  await call('evm_mine')
  await call('evm_setNextBlockTimestamp', Number(timestamp) + 9000)
  await call('hardhat_setNextBlockBaseFeePerGas', '0x7')
  await call('anvil_rollback')
  expect(clocks.now).toBe(Number(timestamp) * 1000)
  await call('evm_mine')
  const next = await block('latest')
  expect(Number(next.timestamp)).toBe(Number(timestamp) + 2)
  expect(Number(next.baseFeePerGas)).toBeGreaterThan(7)
})

test('a reset after it goes to the start', async () => {
  const { call, chain, block } = await createPaid(2)
  const genesis = await block(0)
  await call('anvil_rollback', 2)
  await call('hardhat_reset')
  expect(await block('latest')).toEqual(genesis)
  expect(chain.pending.environment.number).toBe(1n)
})

test('instant mode goes on', async () => {
  const node = await createRpcChain({ instant: true, frozenTicks: false })
  for (const value of [1, 2, 3]) await pay(node, value)
  await node.call('anvil_rollback', 2)
  expect(node.chain.head.number).toBe(1)
  await pay(node, 10)
  expect(await node.call('eth_getBalance', OTHER, 'latest')).toBe('0xb')
  expect(node.chain.head.number).toBe(2)
})

describe('filters', () => {
  test('what is taken back comes as removed, and what is sealed anew is given again', async () => {
    const { call, changes, emit, seal, tick } = await createEmitterChain()
    const logs = await call<Hex>('eth_newFilter', {})
    const pending = await call<Hex>('eth_newFilter', { toBlock: 'pending' })
    const blocks = await call<Hex>('eth_newBlockFilter')
    const hashes: Hex[] = []
    const flags = async (filter: Hex) =>
      (await changes<FormattedLog>(filter))
        .filter(({ topics }) => topics.length > 0)
        .map(({ removed }) => removed)
    for (let round = 0; round < 3; round++) {
      await emit(1)
      await tick()
      await seal()
      hashes.push(...(await changes<Hex>(blocks)))
      // Also what nobody had read, as on geth.
      const removed = { 0: undefined, 1: [false, true, false], 2: [true, false] }[round]
      if (removed !== undefined) expect(await flags(logs)).toEqual(removed)
      expect(await flags(pending)).toEqual(round === 0 ? [false] : [true, false])
      await call('anvil_rollback')
    }
    expect(hashes).toHaveLength(3)
    expect(new Set(hashes).size).toBe(1)
    expect(await changes(blocks)).toEqual([])
  })
})

test('subscribers hear of removed logs, oldest first', async () => {
  const { call, emit, tick, seal, subscribe, results } = await createSubscribed()
  const id = await subscribe('logs', { address: EMITTER })
  for (const number of [1, 2, 3]) {
    await emit(number)
    await tick()
    await seal()
  }
  const before = results<FormattedLog>(id)
  await call('anvil_rollback', 2)
  const after = results<FormattedLog>(id).slice(before.length)
  const taken = before.filter(({ blockNumber }) => Number(blockNumber) > 1)
  expect(taken.length).toBeGreaterThan(0)
  expect(after).toEqual(taken.map((log) => ({ ...log, removed: true })))
})
