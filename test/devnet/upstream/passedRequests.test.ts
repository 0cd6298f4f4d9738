import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { BlockCache } from '../../../devnet/upstream/cache/blockCache.ts'
import { type Entry, NO_KEEPER } from '../../../devnet/upstream/cache/keeper.ts'
import type { BatchClient } from '../../../devnet/upstream/client/batchClient.ts'
import { openUpstream } from '../../../devnet/upstream/openUpstream.ts'
import { PassedRequests } from '../../../devnet/upstream/passedRequests.ts'
import type { UpstreamOptions } from '../../../devnet/upstream/types.ts'
import { UpstreamProxy } from '../../support/upstreamProxy.ts'
import { answersOf, fakeNode, HASH, HASTY_TIME, NUMBER } from './fakeNode.ts'

const FINAL = 0x3e0
const TRANSACTION = `0x${'77'.repeat(32)}`
const KEY = 'PathKey'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'answers-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** An upstream that answers any method with what it was asked for, in the block `placed`. */
async function setUp({
  placed = '0x3d0',
  final = `0x${FINAL.toString(16)}` as string | null,
} = {}) {
  const node = answersOf(fakeNode())
  let isStarting = true
  const proxy = await UpstreamProxy.start((item) => {
    const { method, params } = item
    if (isStarting) return node(item)
    if (params[0] === 'finalized') return { result: final && { number: final } }
    if (method === 'eth_getLogs') return { result: [{ blockNumber: placed }] }
    if (params[0] === '0x1') return { result: null }
    if (params[0] === '0x2') return { error: { code: -32000, message: 'no such block' } }
    return { result: { method, number: params[0], blockNumber: placed } }
  })
  onTestFinished(() => proxy.stop())
  const open = async (options: Partial<UpstreamOptions> = {}) => {
    const url = `${proxy.url}/${KEY}`
    const given = { url, block: BigInt(NUMBER), cache: false, ...options } as const
    isStarting = true
    const upstream = await openUpstream(given, HASTY_TIME)
    isStarting = false
    onTestFinished(() => upstream.close())
    proxy.reset()
    return upstream
  }
  return { proxy, open }
}

const FILTER = { fromBlock: '0x300', toBlock: '0x310' }

const KEPT: [string, unknown[]][] = [
  ['eth_getBlockByNumber', ['0x3e0', true]],
  ['eth_getBlockReceipts', ['0x300']],
  ['eth_getBalance', [`0x${'11'.repeat(20)}`, '0x300']],
  ['eth_call', [{ to: `0x${'11'.repeat(20)}` }, '0x300', { a: 'b' }]],
  ['eth_feeHistory', ['0x4', '0x300', []]],
  ['eth_getTransactionByHash', [TRANSACTION]],
  ['eth_getTransactionReceipt', [TRANSACTION]],
  ['eth_getLogs', [FILTER]],
  ['eth_getLogs', [{ blockHash: HASH }]],
]

test.each(KEPT)('default: %s of a final block is asked for once, %j', async (method, params) => {
  const { proxy, open } = await setUp()
  const upstream = await open()
  const answer = await upstream.request(method, params)
  await new Promise(setImmediate)
  expect(await upstream.request(method, params)).toEqual(answer)
  expect(proxy.items(method)).toBe(method === 'eth_getBlockByNumber' ? 2 : 1)
  expect(proxy.requests).toHaveLength(1)
  await upstream.request(method, [...params, 'another'])
  expect(proxy.requests).toHaveLength(2)
})

test.each<[string, string, unknown[], object?]>([
  ['a tag', 'eth_getBlockByNumber', ['latest', false]],
  ['earliest, which may move', 'eth_getBlockByNumber', ['earliest', false]],
  ['a block that is not final', 'eth_getBlockReceipts', ['0x3e1']],
  ['a later block', 'eth_getBlockReceipts', ['0x3e9']],
  ['nothing', 'eth_getBlockReceipts', ['0x1']],
  ['logs up to a tag', 'eth_getLogs', [{ fromBlock: '0x1', toBlock: 'latest' }]],
  ['logs of blocks that are not final', 'eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x3e1' }]],
  ['a transaction that waits', 'eth_getTransactionByHash', [TRANSACTION], { placed: null }],
  ['a later transaction', 'eth_getTransactionReceipt', [TRANSACTION], { placed: '0x3e9' }],
  ['another method', 'debug_traceTransaction', [TRANSACTION]],
  ['anything, if nobody says what is final', 'eth_getBlockReceipts', ['0x300'], { final: null }],
])('%s is asked for each time', async (_, method, params, options) => {
  const { proxy, open } = await setUp(options)
  const upstream = await open()
  await upstream.request(method, params)
  await new Promise(setImmediate)
  await upstream.request(method, params)
  const asked = proxy.requests.flatMap(({ items }) => items)
  expect(asked.filter((item) => item.params[0] !== 'finalized')).toHaveLength(2)
})

test('an error is no answer', async () => {
  const { proxy, open } = await setUp()
  const upstream = await open()
  for (let count = 1; count <= 2; count++) {
    await expect(upstream.request('eth_getBlockReceipts', ['0x2'])).rejects.toThrow('no such block')
    expect(proxy.items('eth_getBlockReceipts')).toBe(count)
  }
})

test('the folder answers the next start, and offline mode', async () => {
  const { proxy, open } = await setUp()
  const cache = newFolder()
  const first = await open({ cache })
  const answers = await Promise.all(KEPT.map(([method, params]) => first.request(method, params)))
  await first.close()
  for (const options of [{ cache }, { cache, offline: true }]) {
    const upstream = await open(options)
    for (const [index, [method, params]] of KEPT.entries()) {
      expect(await upstream.request(method, params)).toEqual(answers[index])
    }
    expect(proxy.requests).toEqual([])
    await upstream.close()
  }
  const offline = await open({ cache, offline: true })
  await expect(offline.request('eth_getBlockReceipts', ['0x301'])).rejects.toThrow(
    'eth_getBlockReceipts needs the upstream, which is not asked in offline mode',
  )
})

test('damaged lines are asked for again, and no answer with a secret is written', async () => {
  const { proxy, open } = await setUp()
  const cache = newFolder()
  const first = await open({ cache })
  await first.request('eth_getBlockReceipts', ['0x300'])
  await first.request('eth_getBlockReceipts', [KEY])
  await first.request('eth_call', [{ note: KEY }, '0x300'])
  await first.close()
  const [chain = ''] = readdirSync(cache).filter((name) => /^\d+$/.test(name))
  const [name = ''] = readdirSync(join(cache, chain))
  const path = join(cache, chain, name)
  const text = readFileSync(path, 'utf8')
  expect(text).toContain('0x300')
  expect(text).not.toContain(KEY)
  rmSync(path)
  appendFileSync(path, text.replace('0x3d0', '0x3d1'))
  const second = await open({ cache })
  expect(await second.request('eth_getBlockReceipts', ['0x300'])).toMatchObject({
    blockNumber: '0x3d0',
  })
  expect(proxy.items('eth_getBlockReceipts')).toBe(1)
})

test('up to a limit all answers are kept, and none after it', async () => {
  const written: unknown[] = []
  const keeper = { ...NO_KEEPER, keep: ([, key]: Entry) => void written.push(key) }
  const sizes = [60, 60, 2 << 20, 60, 200, 60]
  let asked: unknown[] = []
  const client: Pick<BatchClient, 'ask'> = {
    async ask({ params, read }) {
      const [first] = params
      if (first === 'finalized') return read({ number: '0xa' })
      asked.push(first)
      return read('a'.repeat(sizes[Number(first)] ?? 0))
    },
  }
  const passed = new PassedRequests({
    ...{ client, cache: await BlockCache.open(keeper, 250), number: 10n },
    hasSecret: () => false,
  })
  const askAll = async () => {
    asked = []
    for (const number of sizes.keys()) {
      await passed.request('eth_getBlockReceipts', [`0x${number}`])
      await new Promise(setImmediate)
    }
  }
  await askAll()
  await askAll()
  expect(asked).toEqual(['0x2', '0x4'])
  expect(written).toEqual([0, 1, 3, 5].map((number) => `eth_getBlockReceipts ["0x${number}"]`))
})
