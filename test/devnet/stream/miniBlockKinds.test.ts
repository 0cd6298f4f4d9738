import { expect, test } from 'vitest'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { EMITTER, topicOf } from './emitterChain.ts'
import { createSubscribed } from './subscribedChain.ts'

interface MiniBlock {
  readonly block_number: Hex
  readonly index: Hex
  readonly mini_block_number: Hex
  readonly mini_block_timestamp: Hex
  readonly gas_used: Hex
  readonly transactions: readonly { readonly hash: Hex }[]
  readonly receipts: readonly { readonly transactionHash: Hex; readonly blockHash: Hex }[]
}

const ONES = `0x${'ff'.repeat(32)}`

const create = () => createSubscribed({ profile: 'megaeth' })

test('miniBlocks: each tick, also an empty one, numbered in its block and without end', async () => {
  const { subscribe, results, emit, tick, seal, clocks } = await create()
  // With the first block's deposit.
  await tick()
  await seal()
  const id = await subscribe('miniBlocks')
  const hash = await emit(1)
  await tick()
  await tick()
  await seal()
  await tick()
  const all = results<MiniBlock>(id)
  expect(all.map(({ block_number, index }) => [block_number, index])).toEqual([
    ['0x2', '0x1'],
    ['0x2', '0x2'],
    ['0x3', '0x0'],
    ['0x3', '0x1'],
  ])
  const [first = 0, ...rest] = all.map(({ mini_block_number }) => Number(mini_block_number))
  expect(rest).toEqual([first + 1, first + 2, first + 3])
  const [taking, empty] = all
  expect(taking).toMatchObject({
    transactions: [{ hash }],
    receipts: [{ transactionHash: hash, blockHash: ONES }],
  })
  expect(Number(taking?.gas_used)).toBeGreaterThan(21_000)
  expect(empty).toMatchObject({ gas_used: '0x0', transactions: [], receipts: [] })
  const seconds = Number(all.at(-1)?.mini_block_timestamp) / 1e6
  expect(Math.abs(seconds - clocks.now / 1000)).toBeLessThan(1)
})

test('stateChanges: the accounts asked for, once a mini-block has changed them', async () => {
  const { subscribe, results, emit, account, tick, call } = await create()
  const [alice, bob] = [account(0).address, account(1).address]
  const id = await subscribe('stateChanges', [alice, bob])
  await call('eth_sendTransaction', { from: alice, to: bob, value: '0x5' })
  await emit(1)
  await tick()
  await tick()
  const changes = results<{ address: Hex; nonce: number; balance: Hex; storage: object }>(id)
  const of = (address: Hex) => changes.filter((change) => change.address === address)
  expect(of(bob)).toMatchObject([
    { balance: await call('eth_getBalance', bob, 'pending'), storage: {} },
  ])
  expect(of(alice)).toMatchObject([{ balance: await call('eth_getBalance', alice, 'pending') }])
  expect(changes.length).toBe(2)
})

test('stateChanges: values of slots are quantities', async () => {
  const { subscribe, results, emit, tick, call } = await create()
  // Stores its calldata in slot 0.
  await call('hardhat_setCode', EMITTER, '0x5f355f55')
  const id = await subscribe('stateChanges', [EMITTER])
  await emit(7)
  await tick()
  expect(results(id)).toEqual([
    { address: EMITTER, nonce: 0, balance: '0x0', storage: { [topicOf(0)]: '0x7' } },
  ])
})

test('latest is the newest mini-block, and newHeads counts those of a block', async () => {
  const { subscribe, results, account, tick, seal, call } = await create()
  const heads = await subscribe('newHeads')
  const stranger = '0x1234567890123456789012345678901234567890'
  await call('eth_sendTransaction', { from: account(0).address, to: stranger, value: '0x5' })
  await tick()
  await tick()
  expect(await call('eth_getBalance', stranger)).toBe('0x5')
  expect(await call('eth_blockNumber')).toBe('0x0')
  await seal()
  await tick()
  await seal()
  expect(results(heads)).toMatchObject([
    { number: '0x1', miniBlockCount: '0x3' },
    { number: '0x2', miniBlockCount: '0x2' },
  ])
})

test('logs come with their mini-block if the filter is from and to pending, else with the seal', async () => {
  const { subscribe, results, emit, tick, seal } = await create()
  const early = await subscribe('logs', {
    address: EMITTER,
    fromBlock: 'pending',
    toBlock: 'pending',
  })
  const late = await subscribe('logs', { address: EMITTER, toBlock: 'pending' })
  await emit(1)
  await tick()
  expect(results(early)).toMatchObject([{ blockHash: ONES }, {}])
  expect(results(late)).toEqual([])
  await seal()
  expect(results(early).length).toBe(2)
  expect(results(late).length).toBe(2)
})

test('error: addresses are required', async () => {
  const { subscribe } = await create()
  await expect(subscribe('stateChanges')).rejects.toMatchObject({ code: -32602 })
  await expect(subscribe('stateChanges', ['0x12'])).rejects.toMatchObject({ code: -32602 })
})

test('newHeads counts the mini-blocks before its first subscriber, too', async () => {
  const { subscribe, results, tick, seal } = await create()
  await tick()
  await tick()
  const heads = await subscribe('newHeads')
  await seal()
  expect(results(heads)).toMatchObject([{ number: '0x1', miniBlockCount: '0x3' }])
})
