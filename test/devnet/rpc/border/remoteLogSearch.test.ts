import { describe, expect, test } from 'vitest'
import { TooManyLogsError } from '../../../../devnet/json/logMatch.ts'
import { DevnetError } from '../../../../devnet/primitives/errors.ts'
import { quantity } from '../../../../devnet/primitives/hex.ts'
import { RemoteLogSearch } from '../../../../devnet/rpc/border/remoteLogSearch.ts'
import { UpstreamError } from '../../../../devnet/state/remote/remoteSource.ts'
import type { Upstream } from '../../../../devnet/upstream/types.ts'
import { seeds } from '../../../support/longRuns.ts'
import { Random } from '../../../support/random.ts'

/** An upstream with logs in some blocks that refuses some ranges. */
function createUpstream({
  logs = () => 1,
  refuse = () => undefined,
}: {
  logs?: (number: number) => number
  refuse?: (length: number, found: () => number) => Error | undefined
} = {}) {
  const lengths: number[] = []
  return {
    lengths,
    async request(method: string, params: readonly unknown[]) {
      expect(method).toBe('eth_getLogs')
      const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }]
      const [first, length] = [Number(fromBlock), Number(toBlock) - Number(fromBlock) + 1]
      lengths.push(length)
      const find = () =>
        Array.from({ length }, (_, index) => first + index).flatMap((number) =>
          new Array<number>(logs(number)).fill(number),
        )
      const error = refuse(length, () => find().length)
      if (error !== undefined) throw error
      return find()
    },
  }
}

const search = (upstream: Pick<Upstream, 'request'>, most = 20_000) =>
  new RemoteLogSearch(upstream, {
    criteria: { addresses: [], topics: [] },
    blocks: { first: 0, last: 0 },
    most,
  })

const upTo = (last: number) => Array.from({ length: last + 1 }, (_, number) => number)

/** How nodes and providers refuse too many blocks. */
const TOO_LONG: readonly (readonly [code: number, message: string])[] = [
  [-32000, 'exceed maximum block range: 50000'],
  [-32000, 'block range is too wide'],
  [-32012, 'logs are limited to a 10000 block range'],
  [-32600, 'You can make eth_getLogs requests with up to a 10 block range.'],
  [-32602, 'query exceeds max block range 100000'],
  [-32614, 'eth_getLogs is limited to a 10,000 range'],
  [-32701, 'Please specify an address in your request or order a full node: too many blocks'],
  [35, 'ranges over 10000 blocks are not supported on freetier'],
]

/** How they refuse too many logs. */
const TOO_LARGE: readonly (readonly [code: number, message: string])[] = [
  [-32000, 'query timeout exceeded'],
  [-32005, 'query returned more than 10000 results. Try with this block range [0x1, 0x2].'],
  [-32011, 'backend response too large'],
  [-32602, 'Log response size exceeded. You can make requests with up to a 2K block range'],
  [-32602, 'query exceeds max results 20000, retry with the range 0x1-0x9'],
]

describe('range', () => {
  test('default: one request', async () => {
    const upstream = createUpstream()
    expect(await search(upstream).range(0, 1000)).toEqual(upTo(1000))
    expect(upstream.lengths).toEqual([1001])
  })

  test.for(TOO_LONG)('too many blocks: %i, %s', async ([code, message]) => {
    const upstream = createUpstream({
      refuse: (length) => (length > 100 ? new DevnetError(code, message) : undefined),
    })
    expect(await search(upstream).range(0, 1000)).toEqual(upTo(1000))
    // Until the beginning answers; the rest is then asked for in pieces of that length, at once.
    expect(upstream.lengths.slice(0, 5)).toEqual([1001, 501, 251, 126, 63])
    expect(upstream.lengths.slice(5)).toEqual([...new Array<number>(14).fill(63), 56])
  })

  test.for(TOO_LARGE)('too many logs: %i, %s', async ([code, message]) => {
    const logs = (number: number) =>
      number >= 500 && number < 504 ? 60 : number % 100 === 0 ? 1 : 0
    const refuse = (_: number, found: () => number) =>
      found() > 70 ? new DevnetError(code, message) : undefined
    const upstream = createUpstream({ logs, refuse })
    expect(await search(upstream).range(0, 1000)).toEqual(
      upTo(1000).flatMap((number) => new Array<number>(logs(number)).fill(number)),
    )
    // Only where there are many, down to one block.
    expect(Math.min(...upstream.lengths)).toBe(1)
    expect(upstream.lengths.length).toBeLessThan(40)
  })

  test('error: one block is refused', async () => {
    const refusal = new DevnetError(-32005, 'query returned more than 10000 results')
    const upstream = createUpstream({ refuse: () => refusal })
    await expect(search(upstream).range(0, 1000)).rejects.toBe(refusal)
    expect(upstream.lengths).toEqual([1001, 501, 251, 126, 63, 32, 16, 8, 4, 2, 1])
  })

  test('error: too many pieces', async () => {
    const refusal = new DevnetError(-32600, 'up to a 10 block range')
    const upstream = createUpstream({ refuse: (length) => (length > 10 ? refusal : undefined) })
    await expect(search(upstream).range(0, 20_000_000)).rejects.toBe(refusal)
    // The beginning shows that, before the rest is asked for.
    expect(upstream.lengths.length).toBeLessThan(25)
  })

  test('error: too many logs', async () => {
    const refuse = (length: number) =>
      length > 100 ? new DevnetError(-32614, 'limited to a 100 range') : undefined
    expect(await search(createUpstream({ refuse }), 1001).range(0, 1000)).toHaveLength(1001)
    await expect(search(createUpstream({ refuse }), 1000).range(0, 1000)).rejects.toThrow(
      new TooManyLogsError(1000),
    )
    // Dense pieces are not halved any further then.
    const dense = createUpstream({ refuse, logs: () => 20 })
    await expect(search(dense, 1000).range(0, 1000)).rejects.toThrow(new TooManyLogsError(1000))
    expect(dense.lengths).toEqual([1001, 501, 251, 126, 63])
  })

  test.for([
    new DevnetError(-32601, 'the method eth_getLogs does not exist'),
    new DevnetError(-32000, 'missing trie node'),
    new DevnetError(-32005, 'rate limit exceeded'),
    new DevnetError(429, 'Too Many Requests'),
    new UpstreamError('upstream did not answer eth_getLogs: timeout', { transient: true }),
  ])('error: $message', async (error) => {
    const upstream = createUpstream({ refuse: () => error })
    await expect(search(upstream).range(0, 1000)).rejects.toBe(error)
    expect(upstream.lengths).toEqual([1001])
  })

  test('error: the answer is no list', async () => {
    const request = async () => ({ logs: [] })
    await expect(search({ request }).range(0, 1)).rejects.toThrow(
      expect.objectContaining({
        code: -32000,
        message: 'upstream answered eth_getLogs without a list',
      }),
    )
  })
})

test.each(seeds(200))('all logs in their order, within the budget, seed %i', async (seed) => {
  const random = new Random(seed)
  const last = random.below(600)
  const density = 1 + random.below(20)
  const counts = upTo(last).map(() => (random.once(density) ? random.below(9) : 0))
  const [mostBlocks, mostLogs] = [1 + random.below(200), 9 + random.below(30)]
  const upstream = createUpstream({
    logs: (number) => counts[number] ?? 0,
    refuse: (length, found) =>
      length > mostBlocks
        ? new DevnetError(-32614, 'block range is too wide')
        : found() > mostLogs
          ? new DevnetError(-32005, 'query returned more than 10 results')
          : undefined,
  })
  const all = counts.flatMap((count, number) => new Array<number>(count).fill(number))
  expect(await search(upstream).range(0, last)).toEqual(all)
  // Few more than an upstream with these limits needs.
  const least = Math.max(upTo(last).length / mostBlocks, all.length / mostLogs)
  expect(upstream.lengths.length).toBeLessThan(12 + 8 * least)
})

test('args: criteria', async () => {
  const asked: unknown[] = []
  const upstream = {
    async request(_method: string, [filter]: readonly unknown[]) {
      asked.push(filter)
      return []
    },
  }
  const one = quantity(1)
  const two = quantity(2)
  const queries = [
    { addresses: [], topics: [] },
    { addresses: [one], topics: [[one]] },
    { addresses: [one, two], topics: [null, [one, two]] },
  ]
  for (const criteria of queries) {
    const blocks = { first: 0, last: 1 }
    await new RemoteLogSearch(upstream, { criteria, blocks, most: 1 }).range(0, 1)
  }
  const range = { fromBlock: '0x0', toBlock: '0x1' }
  expect(asked).toEqual([
    range,
    { ...range, address: one, topics: [one] },
    { ...range, address: [one, two], topics: [null, [one, two]] },
  ])
})
