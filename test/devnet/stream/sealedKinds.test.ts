import { describe, expect, test } from 'vitest'
import type { FormattedLog } from '../../../devnet/json/receiptForm.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { EMITTER, topicOf } from './emitterChain.ts'
import { createSubscribed } from './subscribedChain.ts'

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

  test('of reserved blocks the last one', async () => {
    const { call, subscribe, results } = await createSubscribed()
    const id = await subscribe('newHeads')
    await call('hardhat_mine', '0x3b9aca00')
    const heads = results<{ number: Hex; hash: Hex; parentHash: Hex }>(id)
    expect(heads.map(({ number }) => Number(number))).toEqual([1, 999_999_999, 1_000_000_000])
    expect(heads[2]?.parentHash).toBe(heads[1]?.hash)
    expect(heads[1]).toMatchObject({
      hash: (await call<{ hash: Hex }>('eth_getBlockByNumber', '0x3b9ac9ff', false)).hash,
    })
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

  test('nothing is taken back at a revert; what is sealed anew is sent', async () => {
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

describe('transactionReceipts', () => {
  test('default: those of each sealed block that has any, as one list', async () => {
    const { call, subscribe, results, emit, tick, seal } = await createSubscribed()
    const id = await subscribe('transactionReceipts')
    await emit(1)
    await emit(2)
    await tick()
    expect(results(id)).toEqual([])
    await seal()
    await seal()
    await emit(3)
    await tick()
    await seal()
    const receipts = [
      await call('eth_getBlockReceipts', '0x1'),
      await call('eth_getBlockReceipts', '0x3'),
    ]
    expect(results(id)).toEqual(receipts)
    expect(receipts).toMatchObject([[{}, {}], [{}]])
  })

  test('args: the receipts of some transactions; of none named, all', async () => {
    const { call, subscribe, results, emit, tick, seal } = await createSubscribed()
    const [first, second, third] = [await emit(1), await emit(2), await emit(3)]
    const some = await subscribe('transactionReceipts', { transactionHashes: [first, third] })
    const other = await subscribe('transactionReceipts', {
      transactionHashes: [`0x${'ab'.repeat(32)}`],
    })
    const all = await subscribe('transactionReceipts', { transactionHashes: [] })
    await tick()
    await seal()
    const of = (hash: Hex | undefined) => call('eth_getTransactionReceipt', hash)
    expect(results(some)).toEqual([[await of(first), await of(third)]])
    expect(results(other)).toEqual([])
    expect(results(all)).toEqual([[await of(first), await of(second), await of(third)]])
  })

  test('error: too many hashes, and what is none', async () => {
    const { subscribe } = await createSubscribed()
    const hashes = Array(201).fill(`0x${'ab'.repeat(32)}`)
    await expect(
      subscribe('transactionReceipts', { transactionHashes: hashes }),
    ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('max 200, got 201') })
    await expect(subscribe('transactionReceipts', { transactionHashes: ['0x1'] })).rejects.toThrow()
    await expect(subscribe('transactionReceipts', true)).rejects.toMatchObject({ code: -32602 })
  })
})
