import { describe, expect, test } from 'vitest'
import { type Hex, quantity } from '../../../../devnet/primitives/hex.ts'
import { UpstreamError } from '../../../../devnet/state/remote/remoteSource.ts'
import { EMITTER, topicOf } from '../../stream/emitterChain.ts'
import { createBorderChain, FORK, hashAt, hashOf } from './borderChain.ts'

interface Filter {
  readonly fromBlock: Hex
  readonly toBlock: Hex
}

interface Log {
  readonly blockNumber: Hex
}

/** An upstream with one log in each block. */
function logsOf() {
  return ({ fromBlock, toBlock }: Filter) => {
    const [first, last] = [Number(fromBlock), Number(toBlock)]
    return Array.from({ length: last - first + 1 }, (_, index) => upstreamLog(first + index))
  }
}

const upstreamLog = (number: number) => ({ blockNumber: quantity(number), l1Index: [number] })

const numbers = (logs: readonly Log[]) => logs.map(({ blockNumber }) => Number(blockNumber))

describe('eth_getLogs', () => {
  test('default: splits at the fork block, and joins in order', async () => {
    const { asked, call, emit, tick } = await createBorderChain({ eth_getLogs: logsOf() })
    await emit(6)
    await tick()
    const filter = { address: [EMITTER], topics: [], fromBlock: '0x1', toBlock: 'pending' }
    const logs = await call<Log[]>('eth_getLogs', filter)
    expect(numbers(logs)).toEqual([1, 2, 3, 4, 4, 5, 5, 6, 6])
    expect(logs[1]).toEqual(upstreamLog(2))
    expect(asked).toEqual([['eth_getLogs', { fromBlock: '0x1', toBlock: '0x3', address: EMITTER }]])
  })

  test('args: addresses and topics go along', async () => {
    const { asked, call } = await createBorderChain({ eth_getLogs: [] })
    const other: Hex = `0x${'0b'.repeat(20)}`
    const topics = [topicOf(4), null, [topicOf(1), topicOf(2)], []]
    const filter = { address: [EMITTER, other], topics, fromBlock: '0x1', toBlock: '0x2' }
    expect(await call('eth_getLogs', filter)).toEqual([])
    expect(asked).toEqual([
      [
        'eth_getLogs',
        {
          fromBlock: '0x1',
          toBlock: '0x2',
          address: [EMITTER, other],
          topics: [topicOf(4), null, [topicOf(1), topicOf(2)], null],
        },
      ],
    ])
  })

  test('args: a range', async () => {
    const { asked, call, failure } = await createBorderChain({ eth_getLogs: logsOf() })
    const ranges: [filter: object, asked: Hex[], found: number[]][] = [
      [{ fromBlock: '0x1', toBlock: '0x2' }, ['0x1', '0x2'], [1, 2]],
      [{ fromBlock: 'earliest', toBlock: '0x0' }, ['0x0', '0x0'], [0]],
      [{ fromBlock: 'earliest', toBlock: 'earliest' }, ['0x0', '0x0'], [0]],
      [{ fromBlock: '0x3', toBlock: '0x4' }, ['0x3', '0x3'], [3, 4, 4]],
      [{ fromBlock: '0x2' }, ['0x2', '0x3'], [2, 3, 4, 4, 5, 5]],
      [{ fromBlock: '0x4' }, [], [4, 4, 5, 5]],
      [{}, [], [5, 5]],
    ]
    for (const [filter, blocks, found] of ranges) {
      expect(numbers(await call<Log[]>('eth_getLogs', filter))).toEqual(found)
      const [fromBlock, toBlock] = blocks
      expect(asked.splice(0)).toEqual(
        blocks.length === 0 ? [] : [['eth_getLogs', { fromBlock, toBlock }]],
      )
    }
    expect(await failure('eth_getLogs', { fromBlock: '0x3', toBlock: '0x2' })).toMatchObject({
      code: -32602,
      message: 'invalid block range params',
    })
    expect(await failure('eth_getLogs', { fromBlock: '0x2', toBlock: '0x63' })).toMatchObject({
      code: -32602,
      message: 'block range extends beyond current head block',
    })
    expect(asked).toEqual([])
  })

  test('args: blockHash', async () => {
    const node = await createBorderChain({
      eth_getLogs: [upstreamLog(2)],
      eth_getBlockByHash: (hash: Hex) =>
        hash === hashAt(9) ? { number: '0x9' } : hash === hashAt(2) ? { number: '0x2' } : null,
    })
    const { asked, call, failure, forkHash } = node
    expect(await call('eth_getLogs', { blockHash: forkHash })).toEqual([upstreamLog(2)])
    expect(asked.splice(0)).toEqual([['eth_getLogs', { blockHash: forkHash }]])
    expect(await call('eth_getLogs', { blockHash: hashAt(2) })).toEqual([upstreamLog(2)])
    expect(asked.splice(0)).toEqual([
      ['eth_getLogs', { blockHash: hashAt(2) }],
      ['eth_getBlockByHash', hashAt(2), false],
    ])
    for (const hash of [hashAt(9), hashAt(8)]) {
      expect(await failure('eth_getLogs', { blockHash: hash })).toEqual({
        code: -32001,
        message: `block not found: ${hash}`,
      })
    }
    asked.splice(0)
    const own = await call<Log[]>('eth_getLogs', { blockHash: hashOf(node, 4) })
    expect(numbers(own)).toEqual([4, 4])
    expect(asked).toEqual([])
  })

  test('error: more logs than --max-logs, in both parts together', async () => {
    const { call, failure } = await createBorderChain({ eth_getLogs: logsOf() }, { maxLogs: 5 })
    expect(await call('eth_getLogs', { fromBlock: '0x1', toBlock: '0x4' })).toHaveLength(5)
    expect(await failure('eth_getLogs', { fromBlock: '0x1', toBlock: '0x5' })).toEqual({
      code: -32602,
      message: 'query exceeds max results 5, retry with the range 0x1-0x4',
    })
    const { failure: fail } = await createBorderChain({ eth_getLogs: logsOf() }, { maxLogs: 2 })
    expect(await fail('eth_getLogs', { fromBlock: '0x1', toBlock: '0x3' })).toEqual({
      code: -32602,
      message: 'query exceeds max results 2, retry with addresses or topics in the filter',
    })
  })

  test('error: the upstream has replaced the fork block', async () => {
    const { answers, failure, call, forkHash } = await createBorderChain()
    const log = { blockNumber: quantity(FORK), blockHash: forkHash }
    answers.eth_getLogs = [log]
    expect(await call('eth_getLogs', { fromBlock: '0x3', toBlock: '0x3' })).toEqual([log])
    answers.eth_getLogs = [{ ...log, blockHash: hashAt(3) }]
    expect(await failure('eth_getLogs', { fromBlock: '0x2', toBlock: '0x3' })).toMatchObject({
      code: -32001,
      message: expect.stringContaining('has replaced it'),
    })
  })

  test('error: blocks between upstream’s and those that are kept', async () => {
    const options = { keepBlocks: 1 }
    const { call, failure } = await createBorderChain({ eth_getLogs: logsOf() }, options)
    expect(await failure('eth_getLogs', { fromBlock: '0x2' })).toMatchObject({
      code: -32001,
      message: expect.stringMatching(/^block not found: 0x4: only the latest 1 blocks are kept/),
    })
    expect(await call('eth_getLogs', { fromBlock: '0x1', toBlock: '0x3' })).toHaveLength(3)
    expect(await call('eth_getLogs', { fromBlock: '0x5' })).toHaveLength(2)
  })
})

describe('filters', () => {
  test('default: the upstream’s part comes with the first read', async () => {
    const { asked, call, changes, emit, tick, seal } = await createBorderChain({
      eth_getLogs: logsOf(),
    })
    const id = await call<Hex>('eth_newFilter', { fromBlock: '0x2' })
    expect(asked).toEqual([])
    expect(numbers(await changes<Log>(id))).toEqual([2, 3, 4, 4, 5, 5])
    expect(asked.splice(0)).toEqual([['eth_getLogs', { fromBlock: '0x2', toBlock: '0x3' }]])
    expect(await changes(id)).toEqual([])
    await emit(6)
    await tick()
    await seal()
    expect(numbers(await changes<Log>(id))).toEqual([6, 6])
    expect(asked).toEqual([])
    expect(numbers(await call<Log[]>('eth_getFilterLogs', id))).toEqual([2, 3, 4, 4, 5, 5, 6, 6])
    expect(asked).toEqual([['eth_getLogs', { fromBlock: '0x2', toBlock: '0x3' }]])
  })

  test('args: toBlock, fromBlock', async () => {
    const { asked, call, changes } = await createBorderChain({ eth_getLogs: logsOf() })
    const found = async (filter: object) => {
      const id = await call<Hex>('eth_newFilter', filter)
      const all = numbers(await call<Log[]>('eth_getFilterLogs', id))
      expect(numbers(await changes<Log>(id))).toEqual(all)
      expect(await changes<Log>(id)).toEqual([])
      return all
    }
    expect(await found({ fromBlock: '0x1', toBlock: '0x2' })).toEqual([1, 2])
    expect(await found({ fromBlock: 'earliest', toBlock: 'earliest' })).toEqual([0])
    expect(await found({ fromBlock: '0x3', toBlock: '0x4' })).toEqual([3, 4, 4])
    asked.splice(0)
    expect(await found({ fromBlock: 'latest' })).toEqual([5, 5])
    expect(await found({ fromBlock: '0x4' })).toEqual([4, 4, 5, 5])
    expect(await found({})).toEqual([])
    expect(asked).toEqual([])
  })

  test('args: blockHash', async () => {
    const { call, changes, failure, forkHash } = await createBorderChain({
      eth_getLogs: [upstreamLog(2)],
      eth_getBlockByHash: (hash: Hex) => (hash === hashAt(2) ? { number: '0x2' } : null),
    })
    for (const blockHash of [forkHash, hashAt(2)]) {
      const id = await call<Hex>('eth_newFilter', { blockHash })
      expect(await call('eth_getFilterLogs', id)).toEqual([upstreamLog(2)])
      expect(await changes(id)).toEqual([upstreamLog(2)])
      expect(await changes(id)).toEqual([])
    }
    const id = await call<Hex>('eth_newFilter', { blockHash: hashAt(7) })
    expect(await failure('eth_getFilterChanges', id)).toEqual({
      code: -32001,
      message: `block not found: ${hashAt(7)}`,
    })
  })

  test('two reads at once do not return a log twice', async () => {
    const { call, changes } = await createBorderChain({ eth_getLogs: logsOf() })
    const id = await call<Hex>('eth_newFilter', { fromBlock: '0x2' })
    const both = await Promise.all([changes<Log>(id), changes<Log>(id)])
    expect(numbers(both.flat()).sort()).toEqual([2, 3, 4, 4, 5, 5])
  })

  test('a read that fails loses nothing', async () => {
    const { answers, call, changes, failure } = await createBorderChain()
    const id = await call<Hex>('eth_newFilter', { fromBlock: '0x2' })
    answers.eth_getLogs = new UpstreamError('upstream did not answer', { transient: true })
    expect(await failure('eth_getFilterChanges', id)).toEqual({
      code: -32000,
      message: 'upstream did not answer',
    })
    answers.eth_getLogs = logsOf()
    expect(numbers(await changes<Log>(id))).toEqual([2, 3, 4, 4, 5, 5])
  })

  test('a later fork block is no new block', async () => {
    const { call, changes, chain, context, seal } = await createBorderChain()
    const blocks = await call<Hex>('eth_newBlockFilter')
    const logs = await call<Hex>('eth_newFilter', {})
    await seal()
    await seal()
    // As if a reset had moved the chain onto its block 6.
    const { border } = context.fork
    if (border === undefined) throw new Error('No border')
    Object.assign(border, { last: 6 })
    expect(await changes(blocks)).toEqual([chain.head.hash])
    expect(await changes(logs)).toEqual([])
    expect(await changes(blocks)).toEqual([])
  })
})
