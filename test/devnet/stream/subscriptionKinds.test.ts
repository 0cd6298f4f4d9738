import { describe, expect, test, vi } from 'vitest'
import type { OptionsInput } from '../../../devnet/options.ts'
import type { FormattedLog } from '../../../devnet/rpc/format/log.ts'
import * as transactionFormat from '../../../devnet/rpc/format/transaction.ts'
import type { Hex } from '../../../devnet/types.ts'
import { ZERO_HASH } from '../rpc/methods/rpcChain.ts'
import { createEmitterChain, EMITTER, topicOf } from './emitterChain.ts'
import { type FakeConnection, fakeConnection } from './fakeConnection.ts'

async function createSubscribed(options: OptionsInput = {}) {
  const node = await createEmitterChain(options)
  const connection = fakeConnection()
  const subscribe = (kind: string, extra?: unknown, to: FakeConnection = connection) =>
    node.callAs<Hex>({ connection: to }, 'eth_subscribe', kind, ...(extra === undefined ? [] : [extra]))
  /** Results of one subscription, or of all. */
  const results = <Result>(id?: Hex, of: FakeConnection = connection): Result[] =>
    of.sent
      .map(({ params }) => params as { subscription: Hex; result: Result })
      .filter(({ subscription }) => id === undefined || subscription === id)
      .map(({ result }) => result)
  return { ...node, connection, subscribe, results }
}

const pendingBlock = ['pending', true]

describe('newHeads', () => {
  test('default: each sealed block, in its order, as its header', async () => {
    const { call, subscribe, results, seal, emit, tick } = await createSubscribed()
    const id = await subscribe('newHeads')
    await emit(1)
    await tick()
    expect(results(id)).toEqual([])
    await seal()
    await call('hardhat_mine', '0x3')
    const heads = results<Record<string, unknown>>(id)
    expect(heads.map(({ number }) => number)).toEqual(['0x1', '0x2', '0x3', '0x4'])
    for (const head of heads) {
      const { transactions, uncles, size, withdrawals, ...header } = await call<
        Record<string, unknown>
      >('eth_getBlockByNumber', head.number, false)
      expect(head).toEqual(header)
      expect({ transactions, uncles, size, withdrawals }).not.toContain(undefined)
    }
  })
})

describe('logs', () => {
  test('default: when they are sealed, one a message', async () => {
    const { call, subscribe, results, emit, tick, seal } = await createSubscribed()
    const id = await subscribe('logs')
    await emit(1)
    await emit(2)
    await tick()
    expect(results(id)).toEqual([])
    await seal()
    await seal()
    expect(results(id)).toEqual(await call('eth_getLogs', { fromBlock: '0x1' }))
    expect(results(id).length).toBe(4)
  })

  test('args: address and topics; the range does not count', async () => {
    const { subscribe, results, emit, tick, seal } = await createSubscribed()
    const ids = {
      all: await subscribe('logs', {}),
      address: await subscribe('logs', { address: EMITTER, fromBlock: '0x5', toBlock: 'pending' }),
      other: await subscribe('logs', { address: [`0x${'ab'.repeat(20)}`] }),
      topic: await subscribe('logs', { topics: [[topicOf(2), topicOf(3)]] }),
      position: await subscribe('logs', { topics: [null, topicOf(2)] }),
    }
    for (const number of [1, 2]) await emit(number)
    await tick()
    await seal()
    const counts = Object.fromEntries(
      Object.entries(ids).map(([name, id]) => [name, results(id).length]),
    )
    expect(counts).toEqual({ all: 4, address: 4, other: 0, topic: 1, position: 0 })
    expect(results<FormattedLog>(ids.topic)[0]?.topics).toEqual([topicOf(2)])
  })

  test('behavior: nothing is taken back at a revert; what is sealed anew is sent', async () => {
    const { call, subscribe, results, emit, tick, seal, chain } = await createSubscribed()
    const id = await subscribe('logs', { topics: [topicOf(1)] })
    const heads = await subscribe('newHeads')
    const snapshot = await call('evm_snapshot')
    const sealedIn: Hex[] = []
    for (let round = 0; round < 2; round++) {
      await emit(1)
      await tick()
      await seal()
      sealedIn.push(chain.head.hash)
      if (round === 0) await call('evm_revert', snapshot)
    }
    expect(results<FormattedLog>(id).map((log) => [log.blockHash, log.removed])).toEqual(
      sealedIn.map((hash) => [hash, false]),
    )
    expect(results<{ hash: Hex }>(heads).map(({ hash }) => hash)).toEqual(sealedIn)
  })
})

describe('newPendingTransactions', () => {
  test('default: hashes, when the mempool accepts them', async () => {
    const { subscribe, results, emit, tick, seal } = await createSubscribed()
    const id = await subscribe('newPendingTransactions')
    const no = await subscribe('newPendingTransactions', false)
    const hashes = [await emit(1), await emit(2)]
    expect(results(id)).toEqual(hashes)
    await tick()
    await seal()
    expect(results(id)).toEqual(hashes)
    expect(results(no)).toEqual(hashes)
  })

  test('args: true', async () => {
    const { call, subscribe, results, emit } = await createSubscribed()
    const id = await subscribe('newPendingTransactions', true)
    const hash = await emit(1)
    expect(results(id)).toEqual([await call('eth_getTransactionByHash', hash)])
    expect(results(id)).toMatchObject([{ hash, blockNumber: null, blockHash: null }])
  })
})

test('syncing: false, once', async () => {
  const { subscribe, results, seal } = await createSubscribed()
  const id = await subscribe('syncing')
  await seal()
  expect(results(id)).toEqual([false])
})

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

  test('behavior: what a cheat or a revert changed is in the next one', async () => {
    const { call, subscribe, results, emit, tick } = await createSubscribed()
    const id = await subscribe('newFlashblocks')
    const snapshot = await call('evm_snapshot')
    await emit(1)
    await tick()
    await call('evm_increaseTime', '0x64')
    await emit(2)
    await tick()
    expect(results(id)[1]).toEqual(await call('eth_getBlockByNumber', ...pendingBlock))
    await call('evm_revert', snapshot)
    await emit(3)
    await tick()
    expect(results(id)[2]).toEqual(await call('eth_getBlockByNumber', ...pendingBlock))
    expect(results(id)[2]).toMatchObject({ transactions: [{ input: topicOf(3) }] })
  })

  test('behavior: each transaction is encoded once, whatever the number of ticks and subscribers', async () => {
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

describe('all kinds', () => {
  const kinds: [string, unknown][] = [
    ['newHeads', undefined],
    ['logs', {}],
    ['newPendingTransactions', undefined],
    ['newPendingTransactions', true],
    ['newFlashblocks', undefined],
    ['newFlashblockTransactions', undefined],
    ['newFlashblockTransactions', true],
    ['pendingLogs', undefined],
  ]

  test.each(kinds)('behavior: %s %j listens while it is subscribed to, and only then', async (kind, extra) => {
    const { call, callAs, chain, connection, subscribe, results, emit, tick, seal } =
      await createSubscribed()
    const listening = { on: 0, off: 0 }
    for (const event of ['onSeal', 'onTick', 'onAdmit'] as const) {
      // One signature for the three: whatever it is, it is passed on.
      const original = chain[event].bind(chain) as (listener: never) => () => void
      vi.spyOn(chain, event).mockImplementation((listener: unknown) => {
        listening.on++
        const end = original(listener as never)
        return () => {
          listening.off++
          end()
        }
      })
    }
    const id = await subscribe(kind, extra)
    const other = fakeConnection()
    await subscribe(kind, extra, other)
    expect(listening).toEqual({ on: 1, off: 0 })
    await emit(1)
    await tick()
    await seal()
    const count = results(id).length
    expect(count).toBeGreaterThan(0)
    expect(await callAs({ connection }, 'eth_unsubscribe', id)).toBe(true)
    await emit(2)
    await tick()
    await seal()
    expect(results(id).length).toBe(count)
    expect(results(undefined, other).length).toBe(2 * count)
    expect(listening).toEqual({ on: 1, off: 0 })
    other.close()
    expect(listening).toEqual({ on: 1, off: 1 })
    expect(await call('eth_blockNumber')).toBe('0x2')
  })

  test('behavior: two subscribers get the same text', async () => {
    const { connection, subscribe, emit, tick, seal } = await createSubscribed()
    const other = fakeConnection()
    const ids: [Hex, Hex][] = []
    for (const [kind, extra] of kinds) {
      ids.push([await subscribe(kind, extra), await subscribe(kind, extra, other)])
    }
    await emit(1)
    await tick()
    await seal()
    const texts = (of: FakeConnection, which: 0 | 1) =>
      of.texts.map((text) => {
        const index = ids.findIndex((pair) => text.includes(pair[which]))
        return text.replace(ids[index]?.[which] ?? '', String(index))
      })
    expect(texts(other, 1)).toEqual(texts(connection, 0))
    expect(new Set(texts(connection, 0).map((text) => text[17])).size).toBe(kinds.length)
  })

  test.each([
    ['newHeads', {}, 'too many arguments, want at most 1'],
    ['syncing', true, 'too many arguments, want at most 1'],
    ['newFlashblocks', true, 'too many arguments, want at most 1'],
    ['newPendingTransactions', 'yes', 'invalid argument 1: want true or false, got a string'],
    ['logs', true, 'invalid argument 1: want an object, got a boolean'],
    ['logs', { address: '0x12' }, /^invalid argument 1: address: hex string has length 2/],
    ['pendingLogs', 5, 'invalid argument 1: want an object, got a number'],
    [
      'newFlashblockTransactions',
      [],
      'invalid argument 1: want true, false or a filter of logs, got a list',
    ],
    ['newFlashblockTransactions', { topics: ['0x1'] }, /^invalid argument 1: topics/],
  ])('behavior: %s refuses %j', async (kind, extra, message) => {
    const { subscribe } = await createSubscribed()
    await expect(subscribe(kind, extra)).rejects.toMatchObject({
      code: -32602,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    })
  })
})
