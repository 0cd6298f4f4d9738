import { describe, expect, test, vi } from 'vitest'
import type { FormattedLog } from '../../../../devnet/rpc/format/log.ts'
import type { Hex } from '../../../../devnet/types.ts'
import { createEmitterChain, EMITTER, topicOf } from '../../stream/emitterChain.ts'
import { createRpcChain, ZERO_HASH } from './rpcChain.ts'

/** Block number and topic of logs; those without a topic are left out. */
const summary = (logs: readonly FormattedLog[]) =>
  logs
    .filter(({ topics }) => topics.length > 0)
    .map(({ blockNumber, topics }) => [Number(blockNumber), Number(topics[0])])

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

  test('behavior: the cursor goes back at a revert, also where nobody reads before the chain has grown again', async () => {
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

  test('behavior: blocks that are gone before they are read are not given', async () => {
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

  test('behavior: a transaction that is executed anew is not new', async () => {
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

  test('behavior: nothing is kept while there is no filter', async () => {
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

  test('behavior: ranges that make no sense', async () => {
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

describe('eth_newFilter and evm_revert', () => {
  test('behavior: what is sealed anew is given again', async () => {
    const { call, changes, emit, tick, seal } = await createEmitterChain()
    const id = await call<Hex>('eth_newFilter', {})
    const snapshot = await call('evm_snapshot')
    for (let round = 0; round < 2; round++) {
      // The very same transaction each time, as a test with a fixture sends it.
      await emit(1)
      await tick()
      await seal()
      expect(summary(await changes(id))).toEqual([[1, 1]])
      await call('evm_revert', snapshot)
      if (round === 0) await call('evm_snapshot')
    }
  })

  test.each([
    ['with sealing', true],
    ['before the seal', false],
  ])('behavior: pre-confirmed logs, %s', async (_name, seals) => {
    const { call, changes, emit, tick, seal } = await createEmitterChain()
    const id = await call<Hex>('eth_newFilter', { toBlock: 'pending' })
    await emit(1)
    await tick()
    const snapshot = await call('evm_snapshot')
    const hash = await emit(2)
    await tick()
    if (seals) await seal()
    expect(summary(await changes(id))).toEqual([
      [1, 1],
      [1, 2],
    ])
    await call('evm_revert', snapshot)
    // The first was pre-confirmed before the snapshot, and still is.
    expect(await changes(id)).toEqual([])
    expect(await emit(2)).toBe(hash)
    await tick()
    expect(summary(await changes(id))).toEqual([[1, 2]])
    await seal()
    expect(await changes(id)).toEqual([])
  })

  test('behavior: the same transactions again before anybody reads', async () => {
    const { call, changes, emit, tick, seal } = await createEmitterChain()
    const id = await call<Hex>('eth_newFilter', { toBlock: 'pending' })
    const snapshot = await call('evm_snapshot')
    await emit(1)
    await tick()
    expect(summary(await changes(id))).toEqual([[1, 1]])
    await call('evm_revert', snapshot)
    await emit(1)
    await tick()
    await seal()
    expect(summary(await changes(id))).toEqual([[1, 1]])
  })

  test('behavior: the chain goes back to before the filter was made', async () => {
    const { call, changes, emit, tick, seal } = await createEmitterChain()
    const snapshot = await call('evm_snapshot')
    for (let count = 0; count < 3; count++) await seal()
    const ids = [
      await call<Hex>('eth_newFilter', {}),
      await call<Hex>('eth_newFilter', { fromBlock: 'latest' }),
      await call<Hex>('eth_newFilter', { toBlock: 'pending' }),
    ]
    await call('evm_revert', snapshot)
    await emit(1)
    await tick()
    await seal()
    for (const id of ids) {
      expect(summary(await changes(id))).toEqual([[1, 1]])
      expect(summary(await call('eth_getFilterLogs', id))).toEqual([[1, 1]])
    }
  })

  test('behavior: what was pre-confirmed before the filter was made stays out', async () => {
    const { call, changes, emit, tick, seal } = await createEmitterChain()
    await emit(1)
    await tick()
    const id = await call<Hex>('eth_newFilter', { toBlock: 'pending' })
    const snapshot = await call('evm_snapshot')
    await seal()
    await seal()
    expect(await changes(id)).toEqual([])
    await call('evm_revert', snapshot)
    expect(await changes(id)).toEqual([])
  })

  test('behavior: a block that was read in part is read anew', async () => {
    const { call, changes, emit, tick, seal } = await createEmitterChain({ maxLogs: 2 })
    const id = await call<Hex>('eth_newFilter', {})
    const snapshot = await call('evm_snapshot')
    await emit(1)
    await emit(2)
    await tick()
    await seal()
    expect(summary(await changes(id))).toEqual([[1, 1]])
    await call('evm_revert', snapshot)
    await emit(1)
    await emit(3)
    await tick()
    await seal()
    expect(summary(await changes(id))).toEqual([[1, 1]])
    expect(summary(await changes(id))).toEqual([[1, 3]])
  })

  test('behavior: fromBlock as a number stays where it is', async () => {
    const { call, changes, emit, tick, seal } = await createEmitterChain()
    const id = await call<Hex>('eth_newFilter', { fromBlock: '0x3' })
    const snapshot = await call('evm_snapshot')
    for (let count = 0; count < 3; count++) await seal()
    await call('evm_revert', snapshot)
    for (const number of [1, 2, 3]) {
      await emit(number)
      await tick()
      await seal()
    }
    expect(summary(await changes(id))).toEqual([[3, 3]])
  })
})

describe('eth_newFilter and cheats', () => {
  test('behavior: what is executed anew is not given again; what was dropped is, once it is executed again', async () => {
    const { call, changes, emit, tick, seal, account } = await createEmitterChain()
    const id = await call<Hex>('eth_newFilter', { toBlock: 'pending' })
    await emit(1, 0)
    await emit(2, 1)
    await tick()
    expect(summary(await changes(id)).length).toBe(2)
    await call('evm_increaseTime', '0x64')
    expect(await changes(id)).toEqual([])
    await call('hardhat_setBalance', account(0).address, '0x0')
    await emit(3, 1)
    await tick()
    expect(summary(await changes(id))).toEqual([[1, 3]])
    await call('hardhat_setBalance', account(0).address, '0xde0b6b3a7640000')
    await tick()
    expect(summary(await changes(id))).toEqual([[1, 1]])
    await seal()
    expect(await changes(id)).toEqual([])
  })

  test('behavior: executed anew and sealed in one command', async () => {
    const { call, changes, emit, tick, chain } = await createEmitterChain()
    const id = await call<Hex>('eth_newFilter', { toBlock: 'pending' })
    await emit(1)
    await tick()
    await changes(id)
    await emit(2)
    await call('evm_mine', Number(chain.pending.environment.timestamp) + 50)
    expect(summary(await changes(id))).toEqual([[1, 2]])
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

test('behavior: filters expire unread, in real time', async () => {
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

test('behavior: unknown filters', async () => {
  const { call, failure } = await createRpcChain()
  const unknown = expect.objectContaining({ code: -32000 })
  expect(await failure('eth_getFilterChanges', '0x1')).toEqual(unknown)
  expect(await failure('eth_getFilterLogs', `0x${'f'.repeat(64)}`)).toEqual(unknown)
  expect(await call('eth_uninstallFilter', '0x1')).toBe(false)
  const id = await call<Hex>('eth_newBlockFilter')
  expect(await failure('eth_getFilterLogs', id)).toEqual(unknown)
  expect(await failure('eth_getFilterLogs', 'latest')).toMatchObject({ code: -32602 })
})
