import { describe, expect, test } from 'vitest'
import type { FormattedLog } from '../../../../devnet/json/receiptForm.ts'
import type { Hex } from '../../../../devnet/primitives/hex.ts'
import { createEmitterChain, EMITTER, summary, topicOf } from '../../stream/emitterChain.ts'
import { ZERO_HASH } from './rpcChain.ts'

describe('eth_newFilter', () => {
  test('default: what is sealed from now on, each log once', async () => {
    const { call, changes, emit, tick, seal, chain } = await createEmitterChain()
    await emit(1)
    await tick()
    await seal()
    await emit(2)
    await tick()
    const id = await call<Hex>('eth_newFilter', { address: EMITTER, topics: [topicOf(2)] })
    expect(await changes(id)).toEqual([])
    await seal()
    const all = await call<FormattedLog[]>('eth_getLogs', { fromBlock: '0x2' })
    expect(all.map(({ topics }) => topics.length)).toEqual([1, 0])
    expect(all[0]?.blockHash).toBe(chain.head.hash)
    expect(await changes(id)).toEqual(all.slice(0, 1))
    expect(await changes(id)).toEqual([])
  })

  test('args: range', async () => {
    const { call, changes, emit, tick, seal } = await createEmitterChain()
    const round = async (number: number) => {
      await emit(number)
      await tick()
      await seal()
    }
    for (const number of [1, 2, 3]) await round(number)
    await emit(4)
    await tick()
    const filters = {
      none: {},
      earliest: { fromBlock: 'earliest' },
      number: { fromBlock: '0x2' },
      toNumber: { fromBlock: '0x1', toBlock: '0x2' },
      latest: { fromBlock: 'latest', toBlock: 'latest' },
      future: { fromBlock: '0x5' },
      toFuture: { fromBlock: '0x3', toBlock: '0x4' },
      fromPending: { fromBlock: 'pending' },
      pending: { fromBlock: 'pending', toBlock: 'pending' },
      toPending: { toBlock: 'pending' },
      latestToPending: { fromBlock: 'latest', toBlock: 'pending' },
    }
    const ids = new Map<string, Hex>()
    for (const [name, filter] of Object.entries(filters)) {
      ids.set(name, await call<Hex>('eth_newFilter', filter))
    }
    const read = async () => {
      const found: Record<string, unknown> = {}
      for (const [name, id] of ids) {
        found[name] = summary(await changes<FormattedLog>(id)).map(([block]) => block)
      }
      return found
    }
    expect(await read()).toEqual({
      none: [],
      earliest: [1, 2, 3],
      number: [2, 3],
      toNumber: [1, 2],
      latest: [3],
      future: [],
      toFuture: [3],
      fromPending: [],
      pending: [4],
      toPending: [],
      latestToPending: [3, 4],
    })
    await seal()
    await round(5)
    expect(await read()).toEqual({
      none: [4, 5],
      earliest: [4, 5],
      number: [4, 5],
      toNumber: [],
      latest: [4, 5],
      future: [5],
      toFuture: [4],
      fromPending: [4, 5],
      pending: [5],
      toPending: [5],
      latestToPending: [5],
    })
  })

  test('args: blockHash', async () => {
    const { call, changes, emit, tick, seal, chain, failure } = await createEmitterChain()
    await emit(1)
    await tick()
    await seal()
    const { hash } = chain.head
    await emit(2)
    await tick()
    await seal()
    const id = await call<Hex>('eth_newFilter', { blockHash: hash })
    expect(summary(await changes(id))).toEqual([[1, 1]])
    expect(await changes(id)).toEqual([])
    expect(summary(await call('eth_getFilterLogs', id))).toEqual([[1, 1]])
    const unknown = `0x${'ab'.repeat(32)}`
    expect(await failure('eth_newFilter', { blockHash: unknown })).toEqual({
      code: -32001,
      message: `block not found: ${unknown}`,
    })
  })

  test('args: toBlock safe', async () => {
    const { call, changes, emit, tick, seal } = await createEmitterChain({ safeDepth: 1 })
    const id = await call<Hex>('eth_newFilter', { toBlock: 'safe' })
    await emit(1)
    await tick()
    await seal()
    expect(await changes(id)).toEqual([])
    await seal()
    expect(summary(await changes(id))).toEqual([[1, 1]])
  })

  test('args: toBlock pending: once when pre-confirmed, not again when sealed', async () => {
    const { call, changes, emit, tick, seal } = await createEmitterChain()
    const id = await call<Hex>('eth_newFilter', { toBlock: 'pending' })
    await emit(1)
    expect(await changes(id)).toEqual([])
    await tick()
    const logs = await changes<FormattedLog>(id)
    expect(summary(logs)).toEqual([[1, 1]])
    expect(logs[0]?.blockHash).toBe(ZERO_HASH)
    expect(await changes(id)).toEqual([])
    await emit(2)
    await tick()
    await seal()
    await emit(3)
    await tick()
    expect(summary(await changes(id))).toEqual([
      [1, 2],
      [2, 3],
    ])
    await seal()
    expect(await changes(id)).toEqual([])
  })

  test('ranges that make no sense', async () => {
    const { failure, seal } = await createEmitterChain()
    await seal()
    const invalid = { code: -32602, message: 'invalid block range params' }
    expect(await failure('eth_newFilter', { fromBlock: '0x2', toBlock: '0x1' })).toEqual(invalid)
    expect(await failure('eth_newFilter', { fromBlock: 'latest', toBlock: '0x0' })).toEqual(invalid)
  })

  test('args: maxLogs: the rest comes with the next read', async () => {
    const { call, changes, emit, tick, seal } = await createEmitterChain({ maxLogs: 4 })
    const id = await call<Hex>('eth_newFilter', {})
    const pending = await call<Hex>('eth_newFilter', { toBlock: 'pending' })
    for (const number of [1, 2, 3]) await emit(number)
    await tick()
    await seal()
    for (const number of [4, 5]) await emit(number)
    await tick()
    const reads = async (filter: Hex) => {
      const found: number[][] = []
      for (let count = 0; count < 4; count++) {
        found.push(summary(await changes(filter)).map(([, topic = 0]) => topic))
      }
      return found
    }
    expect(await reads(id)).toEqual([[1, 2], [3], [], []])
    expect(await reads(pending)).toEqual([[1, 2], [3, 4], [5], []])
  })

  test('args: keepBlocks: what is gone before it was read is said once', async () => {
    const { call, changes, emit, tick, seal, failure } = await createEmitterChain({ keepBlocks: 2 })
    const id = await call<Hex>('eth_newFilter', {})
    for (const number of [1, 2, 3, 4]) {
      await emit(number)
      await tick()
      await seal()
    }
    expect(await failure('eth_getFilterChanges', id)).toEqual({
      code: -32000,
      message:
        'the logs of the blocks 0x1 to 0x2 are gone: only the latest 2 blocks are kept; read the filter more often, or start with a larger --keep-blocks',
    })
    expect(summary(await changes(id))).toEqual([
      [3, 3],
      [4, 4],
    ])
  })
})
