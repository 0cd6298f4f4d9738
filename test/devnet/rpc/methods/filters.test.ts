import { describe, expect, test, vi } from 'vitest'
import type { FormattedLog } from '../../../../devnet/json/receiptForm.ts'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { createEmitterChain, summary, topicOf } from '../../stream/emitterChain.ts'
import { createRpcChain } from './rpcChain.ts'

describe('eth_newBlockFilter', () => {
  test('default', async () => {
    const { call, changes, chain, seal } = await createEmitterChain()
    await seal()
    const id = await call<Hex>('eth_newBlockFilter')
    expect(id).toBe('0x1')
    expect(await changes(id)).toEqual([])
    await seal()
    await seal()
    const hashes = [2, 3].map((number) => chain.history.byNumber(number)?.hash)
    expect(await changes(id)).toEqual(hashes)
    expect(await changes(id)).toEqual([])
  })

  test('the cursor goes back at a revert, also where nobody reads before the chain has grown again', async () => {
    const { call, changes, chain, seal } = await createEmitterChain()
    const id = await call<Hex>('eth_newBlockFilter')
    await seal()
    const snapshot = await call('evm_snapshot')
    await seal()
    await seal()
    expect((await changes(id)).length).toBe(3)
    await call('evm_revert', snapshot)
    for (let count = 0; count < 3; count++) await seal()
    const hashes = [2, 3, 4].map((number) => chain.history.byNumber(number)?.hash)
    expect(await changes(id)).toEqual(hashes)
  })

  test('blocks that are gone before they are read are not given', async () => {
    const { call, changes, chain, seal } = await createEmitterChain()
    const id = await call<Hex>('eth_newBlockFilter')
    await seal()
    const snapshot = await call('evm_snapshot')
    await seal()
    await call('evm_revert', snapshot)
    expect(await changes(id)).toEqual([chain.head.hash])
  })

  test('args: keepBlocks', async () => {
    const { call, changes, chain, seal } = await createEmitterChain({ keepBlocks: 2 })
    const id = await call<Hex>('eth_newBlockFilter')
    for (let count = 0; count < 4; count++) await seal()
    expect(await changes(id)).toEqual([chain.history.byNumber(3)?.hash, chain.head.hash])
  })
})

describe('eth_newPendingTransactionFilter', () => {
  test('default', async () => {
    const { call, changes, emit, tick, seal } = await createEmitterChain()
    const before = await emit(1)
    const id = await call<Hex>('eth_newPendingTransactionFilter')
    const first = await emit(2)
    const later = await call<Hex>('eth_newPendingTransactionFilter')
    const second = await emit(3)
    await tick()
    await seal()
    expect(await changes(id)).toEqual([first, second])
    expect(await changes(id)).toEqual([])
    expect(await changes(later)).toEqual([second])
    expect(before).not.toBe(first)
  })

  test('a transaction that is executed anew is not new', async () => {
    const { call, changes, emit, tick, account } = await createEmitterChain()
    const id = await call<Hex>('eth_newPendingTransactionFilter')
    const hash = await emit(1)
    await tick()
    expect(await changes(id)).toEqual([hash])
    await call('hardhat_setBalance', account(0).address, '0x0')
    await call('hardhat_setBalance', account(0).address, '0xde0b6b3a7640000')
    await tick()
    expect(await changes(id)).toEqual([])
  })

  test('nothing is kept while there is no filter', async () => {
    const { call, changes, emit } = await createEmitterChain()
    const id = await call<Hex>('eth_newPendingTransactionFilter')
    await emit(1)
    expect(await call('eth_uninstallFilter', id)).toBe(true)
    await emit(2)
    const next = await call<Hex>('eth_newPendingTransactionFilter')
    expect(await changes(next)).toEqual([])
    const hash = await emit(3)
    expect(await changes(next)).toEqual([hash])
  })
})

describe('eth_getFilterLogs', () => {
  test('default: all since the filter was made, whatever was read', async () => {
    const { call, changes, emit, tick, seal } = await createEmitterChain()
    await emit(1)
    await tick()
    await seal()
    const id = await call<Hex>('eth_newFilter', { topics: [[topicOf(1), topicOf(2), topicOf(3)]] })
    const pending = await call<Hex>('eth_newFilter', { toBlock: 'pending' })
    const all = (filter: Hex) => call<FormattedLog[]>('eth_getFilterLogs', filter)
    expect([await all(id), await all(pending)]).toEqual([[], []])
    await emit(2)
    await tick()
    expect(summary(await all(id))).toEqual([])
    expect(summary(await all(pending))).toEqual([[2, 2]])
    await seal()
    const read = await changes<FormattedLog>(id)
    expect(await all(id)).toEqual(read)
    expect(summary(await all(id))).toEqual([[2, 2]])
    await emit(3)
    await tick()
    await seal()
    expect(summary(await all(id))).toEqual([
      [2, 2],
      [3, 3],
    ])
    expect(summary(await changes(id))).toEqual([[3, 3]])
  })

  test('args: range', async () => {
    const { call, emit, tick, seal } = await createEmitterChain()
    const future = await call<Hex>('eth_newFilter', { fromBlock: '0x2', toBlock: '0x20' })
    expect(await call('eth_getFilterLogs', future)).toEqual([])
    for (const number of [1, 2]) {
      await emit(number)
      await tick()
      await seal()
    }
    expect(summary(await call('eth_getFilterLogs', future))).toEqual([[2, 2]])
    const earliest = await call<Hex>('eth_newFilter', { fromBlock: 'earliest' })
    expect(summary(await call('eth_getFilterLogs', earliest)).length).toBe(2)
  })
})

test('filters expire unread, in real time', async () => {
  const { call, failure, seal } = await createEmitterChain({ filterTimeout: 60_000 })
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  try {
    const id = await call<Hex>('eth_newBlockFilter')
    // Time of the chain is none of its business.
    await call('evm_increaseTime', '0x100000')
    await seal()
    now.mockReturnValue(59_999)
    expect(await call('eth_getFilterChanges', id)).toHaveLength(1)
    now.mockReturnValue(119_999)
    expect(await failure('eth_getFilterChanges', id)).toEqual({
      code: -32000,
      message:
        'filter not found: 0x1: it was never made, was removed, or was not read for 60 s; make a new one',
    })
  } finally {
    now.mockRestore()
  }
})

test('unknown filters', async () => {
  const { call, failure } = await createRpcChain()
  const unknown = expect.objectContaining({ code: -32000 })
  expect(await failure('eth_getFilterChanges', '0x1')).toEqual(unknown)
  expect(await failure('eth_getFilterLogs', `0x${'f'.repeat(64)}`)).toEqual(unknown)
  expect(await call('eth_uninstallFilter', '0x1')).toBe(false)
  const id = await call<Hex>('eth_newBlockFilter')
  expect(await failure('eth_getFilterLogs', id)).toEqual(unknown)
  expect(await failure('eth_getFilterLogs', 'latest')).toMatchObject({ code: -32602 })
})
