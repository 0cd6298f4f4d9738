import { describe, expect, test, vi } from 'vitest'
import * as transactionFormat from '../../../devnet/json/formatTransaction.ts'
import type { FormattedLog } from '../../../devnet/json/receiptForm.ts'
import { ZERO_HASH } from '../rpc/methods/rpcChain.ts'
import { EMITTER, topicOf } from './emitterChain.ts'
import { fakeConnection } from './fakeConnection.ts'
import { createSubscribed } from './subscribedChain.ts'

const pendingBlock = ['pending', true]

describe('newFlashblocks', () => {
  test('default: the pending block after each tick that took transactions', async () => {
    const { call, subscribe, results, emit, tick, seal } = await createSubscribed()
    const id = await subscribe('newFlashblocks')
    await emit(1)
    await tick()
    expect(results(id)).toEqual([await call('eth_getBlockByNumber', ...pendingBlock)])
    await tick()
    expect(results(id).length).toBe(1)
    await emit(2)
    await emit(3)
    await tick()
    expect(results(id)[1]).toEqual(await call('eth_getBlockByNumber', ...pendingBlock))
    await seal()
    await emit(4)
    await tick()
    expect(results(id)[2]).toEqual(await call('eth_getBlockByNumber', ...pendingBlock))
    expect(results(id)).toMatchObject([
      { number: '0x1', hash: ZERO_HASH, stateRoot: ZERO_HASH, transactions: [{ blockHash: null }] },
      { number: '0x1', transactions: [{}, {}, { transactionIndex: '0x2' }] },
      { number: '0x2', transactions: [{}] },
    ])
  })

  test.each([
    ['a revert', []],
    ['a cheat and a revert', ['evm_increaseTime', '0x64']],
  ])('what %s changed is in the next one', async (_name, cheat) => {
    const { call, subscribe, results, emit, tick } = await createSubscribed()
    const id = await subscribe('newFlashblocks')
    const snapshot = await call('evm_snapshot')
    await emit(1)
    await tick()
    const [method, parameter] = cheat
    if (method !== undefined) await call(method, parameter)
    await emit(2)
    await tick()
    expect(results(id)[1]).toEqual(await call('eth_getBlockByNumber', ...pendingBlock))
    await call('evm_revert', snapshot)
    await emit(3)
    await tick()
    expect(results(id)[2]).toEqual(await call('eth_getBlockByNumber', ...pendingBlock))
    expect(results(id)[2]).toMatchObject({ transactions: [{ input: topicOf(3) }] })
  })

  test('each transaction is encoded once, whatever the number of ticks and subscribers', async () => {
    const { subscribe, emit, tick, results } = await createSubscribed()
    const format = vi.spyOn(transactionFormat, 'formatTransaction')
    const others = [fakeConnection(), fakeConnection()]
    const ids = [await subscribe('newFlashblocks')]
    for (const other of others) {
      await subscribe('newFlashblocks', undefined, other)
      await subscribe('newFlashblockTransactions', true, other)
    }
    for (let count = 0; count < 5; count++) {
      await emit(count)
      await tick()
    }
    expect(format).toHaveBeenCalledTimes(5)
    for (const other of others) expect(results(undefined, other).length).toBe(10)
    expect(results(ids[0]).length).toBe(5)
    format.mockRestore()
  })
})

describe('newFlashblockTransactions', () => {
  test.each([[undefined], [false]])('args: %s: hashes, one a message', async (full) => {
    const { subscribe, results, emit, tick, seal } = await createSubscribed()
    const id = await subscribe('newFlashblockTransactions', full)
    const hashes = [await emit(1), await emit(2)]
    expect(results(id)).toEqual([])
    await tick()
    hashes.push(await emit(3))
    await tick()
    await seal()
    expect(results(id)).toEqual(hashes)
  })

  test('args: true: the transaction with logs and outcome', async () => {
    const { call, subscribe, results, emit, tick } = await createSubscribed()
    const id = await subscribe('newFlashblockTransactions', true)
    const hashes = [await emit(1), await emit(2, 1)]
    await tick()
    const expected: unknown[] = []
    for (const hash of hashes) {
      const { logs, gasUsed, status, cumulativeGasUsed, contractAddress, logsBloom } = await call<
        Record<string, unknown>
      >('eth_getTransactionReceipt', hash)
      expected.push({
        ...(await call<object>('eth_getTransactionByHash', hash)),
        ...{ logs, gasUsed, status, cumulativeGasUsed, contractAddress, logsBloom },
      })
    }
    expect(results(id)).toEqual(expected)
    expect(results(id)).toMatchObject([
      {
        blockHash: null,
        blockNumber: '0x1',
        status: '0x1',
        contractAddress: null,
        logs: [{ blockHash: ZERO_HASH, logIndex: '0x0' }, { logIndex: '0x1' }],
      },
      { transactionIndex: '0x1', logs: [{ logIndex: '0x2' }, { logIndex: '0x3' }] },
    ])
  })

  test('args: a filter of logs: those that emitted one, with all their logs', async () => {
    const { call, account, subscribe, results, emit, tick } = await createSubscribed()
    const id = await subscribe('newFlashblockTransactions', { topics: [topicOf(2)] })
    const all = await subscribe('newFlashblockTransactions', {})
    const from = account(1).address
    await call('eth_sendTransaction', { from, to: from, value: '0x1' })
    await emit(1)
    const hash = await emit(2)
    await tick()
    expect(results(id)).toMatchObject([{ hash, logs: [{ topics: [topicOf(2)] }, { topics: [] }] }])
    // A transfer has no log that any filter could admit.
    expect(results(all).length).toBe(2)
  })
})

describe('pendingLogs', () => {
  test('default: when they are pre-confirmed, and not again at the seal', async () => {
    const { call, subscribe, results, emit, tick, seal } = await createSubscribed()
    const id = await subscribe('pendingLogs')
    const filtered = await subscribe('pendingLogs', { address: EMITTER, topics: [topicOf(2)] })
    await emit(1)
    await tick()
    await emit(2)
    await tick()
    const logs = await call<FormattedLog[]>('eth_getLogs', {
      fromBlock: 'pending',
      toBlock: 'pending',
    })
    await seal()
    expect(results(id)).toEqual(logs)
    expect(logs.length).toBe(4)
    expect(results(filtered)).toEqual([logs[2]])
    expect(results(filtered)).toMatchObject([{ blockHash: ZERO_HASH, blockNumber: '0x1' }])
  })
})
