import { describe, expect, test, vi } from 'vitest'
import type { FormattedLog } from '../../../devnet/json/receiptForm.ts'
import type { Hex } from '../../../devnet/primitives/hex.ts'
import { ZERO_HASH } from '../rpc/methods/rpcChain.ts'
import { topicOf } from './emitterChain.ts'
import { type FakeConnection, fakeConnection } from './fakeConnection.ts'
import { createSubscribed } from './subscribedChain.ts'

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

  test.each(kinds)(
    '%s %j listens while it is subscribed to, and only then',
    async (kind, extra) => {
      const { call, callAs, chain, connection, subscribe, results, emit, tick, seal } =
        await createSubscribed()
      const listening = { on: 0, off: 0 }
      for (const event of ['sealed', 'ticked', 'admitted'] as const) {
        // One signature for the three: whatever it is, it is passed on.
        const source = chain.events[event]
        const original = source.add.bind(source) as (listener: never) => () => void
        vi.spyOn(source, 'add').mockImplementation((listener: unknown) => {
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
      expect(await callAs({ subscribe: () => connection }, 'eth_unsubscribe', id)).toBe(true)
      await emit(2)
      await tick()
      await seal()
      expect(results(id).length).toBe(count)
      expect(results(undefined, other).length).toBe(2 * count)
      expect(listening).toEqual({ on: 1, off: 0 })
      other.close()
      expect(listening).toEqual({ on: 1, off: 1 })
      expect(await call('eth_blockNumber')).toBe('0x2')
    },
  )

  test('in instant mode a log is pre-confirmed, then sealed, each once', async () => {
    const { call, subscribe, results, emit } = await createSubscribed()
    for (const kind of ['pendingLogs', 'logs']) await subscribe(kind, { topics: [topicOf(1)] })
    const filter = await call<Hex>('eth_newFilter', { toBlock: 'pending', topics: [topicOf(1)] })
    await call('evm_setAutomine', true)
    await emit(1)
    const sealed = await call<FormattedLog[]>('eth_getLogs', { topics: [topicOf(1)] })
    expect(results()).toEqual([{ ...sealed[0], blockHash: ZERO_HASH }, sealed[0]])
    expect(await call('eth_getFilterChanges', filter)).toEqual(sealed)
    expect(await call('eth_getFilterChanges', filter)).toEqual([])
  })

  test('two subscribers get the same text', async () => {
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
  ])('%s refuses %j', async (kind, extra, message) => {
    const { subscribe } = await createSubscribed()
    await expect(subscribe(kind, extra)).rejects.toMatchObject({
      code: -32602,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    })
  })
})
