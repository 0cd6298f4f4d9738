import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { fromHex, type Hex, toHex } from '../../../devnet/primitives/hex.ts'
import { addressKeyFromHex, slotKeyFromBigInt } from '../../../devnet/state/keys.ts'
import { openUpstream } from '../../../devnet/upstream/openUpstream.ts'
import type { Upstream, UpstreamOptions } from '../../../devnet/upstream/types.ts'
import { type FaultRule, failing, first, UpstreamProxy } from '../../support/upstreamProxy.ts'
import {
  ADDRESS,
  answersOf,
  BLOCK,
  type FakeNode,
  fakeNode,
  HASH,
  HASTY_TIME,
  NUMBER,
  slotValue,
} from './fakeNode.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
})

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'upstream-'))
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function proxyOf(node: FakeNode): Promise<UpstreamProxy> {
  const proxy = await UpstreamProxy.start(answersOf(node))
  cleanUps.push(() => proxy.stop())
  return proxy
}

async function open(
  proxy: UpstreamProxy,
  options: Partial<UpstreamOptions> = {},
): Promise<Upstream> {
  const upstream = await openUpstream(
    { url: proxy.url, block: 'latest', cache: false, ...options },
    HASTY_TIME,
  )
  cleanUps.push(() => upstream.close())
  return upstream
}

/** An upstream on a fake node, and the proxy between. */
async function opened(node: FakeNode = fakeNode(), options: Partial<UpstreamOptions> = {}) {
  const proxy = await proxyOf(node)
  return { proxy, node, upstream: await open(proxy, options) }
}

const KEY = addressKeyFromHex(ADDRESS)
const SLOT = slotKeyFromBigInt(1n)

async function readAccount(upstream: Upstream) {
  const { accounts } = await upstream.source.load({ accounts: [KEY], slots: [] })
  return accounts[0]
}

async function readSlot(upstream: Upstream) {
  const { slots } = await upstream.source.load({ accounts: [], slots: [[KEY, SLOT]] })
  return slots[0]
}

const ACCOUNT = { balance: 100n, nonce: 5n, code: fromHex('0x6001') }

test('the start takes two batches with at most 27 items', async () => {
  for (const missing of [[], ['eth_getAccountInfo']]) {
    const { proxy, upstream } = await opened(fakeNode({ missing }))
    expect(proxy.requests.map(({ isBatch }) => isBatch)).toEqual([true, true])
    expect(proxy.items()).toBe(missing.length === 0 ? 17 : 27)
    expect(upstream.status()).toEqual({
      ...{ requests: 2, items: proxy.items(), cached: 0, waiting: 0 },
      ...{ failed: 0, lastFailure: null },
    })
  }
})

test('the start tells chain, block, header and rules', async () => {
  const { proxy, upstream } = await opened()
  expect(upstream.origin).toBe(proxy.url)
  expect(upstream.chainId).toBe(4242n)
  expect(upstream.block).toMatchObject({ number: BigInt(NUMBER), hash: HASH, json: BLOCK })
  expect(upstream.block.header.baseFeePerGas).toBe(7n)
  expect(toHex(upstream.block.header.stateRoot)).toBe(BLOCK.stateRoot)
  expect([upstream.hardfork, upstream.hardforkFrom]).toEqual(['prague', 'header'])
  expect(upstream.initial.values.accounts).toEqual([null, null, null, null, null])
  expect(upstream.initial.values.slots).toHaveLength(8)
})

test.each<[string, UpstreamOptions['block'], string, unknown, number]>([
  ['a number', 1000n, 'eth_getBlockByNumber', '0x3e8', 2],
  ['a negative number', -500n, 'eth_getBlockByNumber', '0x3e8', 3],
  ['a hash', `0x${'AB'.repeat(32)}`, 'eth_getBlockByHash', HASH, 2],
  ['latest', 'latest', 'eth_getBlockByNumber', 'latest', 2],
  ['safe', 'safe', 'eth_getBlockByNumber', 'safe', 2],
  ['finalized', 'finalized', 'eth_getBlockByNumber', 'finalized', 2],
])('the fork block by %s', async (_, block, method, parameter, requests) => {
  const { proxy, upstream } = await opened(fakeNode(), { block })
  expect(upstream.block.hash).toBe(HASH)
  expect(proxy.requests).toHaveLength(requests)
  const asked = proxy.requests.flatMap(({ items }) => items)
  expect(asked.find((item) => item.method === method)?.params).toEqual([parameter, false])
})

test('all state is read at the hash of the block', async () => {
  const { proxy, upstream } = await opened()
  proxy.reset()
  await upstream.source.load({ accounts: [KEY], slots: [[KEY, SLOT]] })
  const [request] = proxy.requests
  expect(request?.items.map(({ params }) => params.at(-1))).toEqual([
    { blockHash: HASH },
    { blockHash: HASH },
  ])
})

test('all misses of one call go out in one batch', async () => {
  const { proxy, upstream } = await opened(fakeNode(), { prefetch: 'off' })
  proxy.reset()
  const slots = Array.from({ length: 60 }, (_, n) => [KEY, slotKeyFromBigInt(BigInt(n))] as const)
  const { accounts, slots: values } = await upstream.source.load({ accounts: [KEY], slots })
  expect(proxy.requests.map(({ items }) => items.length)).toEqual([61])
  expect(accounts).toEqual([ACCOUNT])
  expect(values[1]).toEqual(fromHex('0x2a'))
  expect(values[2]).toEqual(new Uint8Array())
})

test('200 parallel loads take at most 12 requests', async () => {
  const { proxy, upstream } = await opened()
  proxy.reset()
  const loads = Array.from({ length: 200 }, (_, n) =>
    upstream.source.load({
      accounts: [addressKeyFromHex(`0x${n.toString(16).padStart(40, '0')}`)],
      slots: [1n, 2n].map((slot) => [KEY, slotKeyFromBigInt(BigInt(n) * 2n + slot)] as const),
    }),
  )
  expect(await Promise.all(loads)).toHaveLength(200)
  expect(proxy.requests.length).toBeLessThanOrEqual(12)
})

test('without eth_getAccountInfo an account is three items', async () => {
  const { proxy, upstream } = await opened(fakeNode({ missing: ['eth_getAccountInfo'] }))
  proxy.reset()
  expect(await readAccount(upstream)).toEqual(ACCOUNT)
  expect(proxy.requests.map(({ items }) => items.map(({ method }) => method))).toEqual([
    ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'],
  ])
})

test.each([
  ['bare hashes', 'hash', HASH, 1],
  ['numbers', 'number', '0x3e8', 2],
] as const)('an upstream that takes only %s is read by them', async (_, form, address, items) => {
  const { proxy, upstream } = await opened(fakeNode({ forms: [form, 'number'] }))
  proxy.reset()
  expect(await readSlot(upstream)).toEqual(fromHex('0x2a'))
  const [request] = proxy.requests
  expect(request?.items[0]?.params.at(-1)).toBe(address)
  // A number goes with the block, whose hash is compared.
  expect(request?.items).toHaveLength(items)
})

test('values by number are refused once the block was replaced', async () => {
  const { upstream, node } = await opened(fakeNode({ forms: ['number'] }))
  node.block = { ...BLOCK, hash: `0x${'ee'.repeat(32)}` }
  const value = await readSlot(upstream)
  expect(value).toMatchObject({
    name: 'UpstreamError',
    code: -32001,
    transient: false,
    message: expect.stringContaining(`it has replaced the block by 0x${'ee'.repeat(32)}`),
  })
})

test('values by hash tell that the block was replaced', async () => {
  const { upstream, node } = await opened()
  node.block = { ...BLOCK, hash: `0x${'ee'.repeat(32)}` }
  node.stateError = { code: -32000, message: 'header not found' }
  expect(await readSlot(upstream)).toMatchObject({
    code: -32001,
    message: expect.stringContaining(`it has replaced the block by 0x${'ee'.repeat(32)}`),
  })
})

test('an error of one key leaves the others', async () => {
  const { proxy, upstream } = await opened()
  proxy.play(failing({ code: -32000, message: 'missing trie node abc' }, 'eth_getStorageAt'))
  const { accounts, slots } = await upstream.source.load({ accounts: [KEY], slots: [[KEY, SLOT]] })
  expect(accounts).toEqual([ACCOUNT])
  expect(slots[0]).toMatchObject({
    code: -32001,
    transient: false,
    message: `upstream did not give slot 0x${'0'.repeat(63)}1 of ${ADDRESS} at block 1000: it does not have the state of this block any more: reset to a newer block, or use an archive node (missing trie node abc (-32000))`,
  })
})

test('a missing trie node that is there the next time is no error', async () => {
  const { proxy, upstream } = await opened()
  let isFirst = true
  const fail = failing({ code: -32000, message: 'missing trie node' })
  proxy.play((request, index) => {
    if (!isFirst) return undefined
    isFirst = false
    return fail(request, index)
  })
  expect(await readSlot(upstream)).toEqual(fromHex('0x2a'))
})

test.each<[string, unknown]>([
  ['null', null],
  ['nothing', ''],
  ['a number', 42],
  ['33 bytes', `0x${'00'.repeat(33)}`],
  ['an object', {}],
])('%s is no value of a slot and never zero', async (_, result) => {
  const { proxy, upstream } = await opened()
  proxy.play(({ items }) => ({
    kind: 'answers',
    change: () => ({ jsonrpc: '2.0', id: items[0]?.id, result }),
  }))
  expect(await readSlot(upstream)).toMatchObject({
    code: -32000,
    transient: true,
    message: expect.stringMatching(/in the place of the value of a slot, 5 attempts in/),
  })
})

test.each<[string, FaultRule]>([
  [
    'HTTP 429 with Retry-After',
    first(2, { kind: 'http', status: 429, headers: { 'retry-after': '1' } }),
  ],
  ['HTTP 429', first(2, { kind: 'http', status: 429 })],
  ['HTTP 503', first(2, { kind: 'http', status: 503 })],
  ['HTTP 502', first(2, { kind: 'http', status: 502 })],
  ['a closed connection', first(2, { kind: 'reset', afterHalf: false })],
  ['a connection that is closed in mid-body', first(2, { kind: 'reset', afterHalf: true })],
  ['half of the JSON', first(2, { kind: 'half' })],
  ['items that are missing', first(2, { kind: 'answers', change: (answers) => answers.slice(1) })],
  [
    'items that are doubled',
    first(2, { kind: 'answers', change: (answers) => [...answers, ...answers] }),
  ],
  [
    'items in another order',
    first(2, { kind: 'answers', change: (answers) => answers.toReversed() }),
  ],
  [
    'wrong ids',
    first(2, {
      kind: 'answers',
      change: (answers) => answers.map((each) => ({ ...each, id: 9999 })),
    }),
  ],
  ['a refused batch', first(2, { kind: 'http', status: 413 })],
])('%s does not change what is read', async (_, rule) => {
  const { proxy, upstream } = await opened()
  proxy.play(rule)
  const slots = [KEY, KEY, KEY].map((key, n) => [key, slotKeyFromBigInt(BigInt(n))] as const)
  const values = await upstream.source.load({ accounts: [KEY], slots })
  expect(values).toEqual({
    accounts: [ACCOUNT],
    slots: [new Uint8Array(), fromHex('0x2a'), new Uint8Array()],
  })
})

test.each<[string, FaultRule, RegExp]>([
  ['HTTP 500', () => ({ kind: 'http', status: 500 }), /block 1000: HTTP 500, 5 attempts in/],
  ['half of the JSON', () => ({ kind: 'half' }), /an answer that is not JSON, 5 attempts in/],
  [
    'closed connections',
    () => ({ kind: 'reset', afterHalf: false }),
    /other side closed|ECONNRESET/,
  ],
  [
    'another error',
    failing({ code: -32603, message: 'internal error' }),
    /internal error \(-32603\), 5 attempts/,
  ],
])('%s without end are a named error', async (_, rule, message) => {
  const { proxy, upstream } = await opened()
  proxy.play(rule)
  expect(await readSlot(upstream)).toMatchObject({
    name: 'UpstreamError',
    code: -32000,
    transient: true,
    message: expect.stringMatching(message),
  })
  // Errors are not kept.
  proxy.play()
  expect(await readSlot(upstream)).toEqual(fromHex('0x2a'))
})

test('the status counts requests that failed, and tells why the last one did', async () => {
  const { proxy, upstream } = await opened()
  const told = () => [upstream.status().failed, upstream.status().lastFailure]
  proxy.play(first(2, { kind: 'http', status: 429 }))
  await readSlot(upstream)
  expect(told()).toEqual([2, 'HTTP 429'])
  // An error that the upstream answers is an answer.
  proxy.play(failing({ code: 3, message: 'execution reverted' }))
  await upstream.request('eth_call', [{}, '0x1']).catch(() => undefined)
  expect(told()).toEqual([2, 'HTTP 429'])
})

test('the status shows no key in the reason of a failure', async () => {
  const proxy = await proxyOf(fakeNode())
  const upstream = await open(proxy, { url: `${proxy.url}/secret-key` })
  const error = { code: -32005, message: 'too many requests with secret-key' }
  proxy.play(first(1, { kind: 'answers', change: () => ({ id: null, error }) }))
  await readSlot(upstream)
  expect(upstream.status().lastFailure).toBe('too many requests with *** (-32005)')
})

test('an upstream that is gone and comes back', async () => {
  const { proxy, upstream } = await opened()
  const { port } = new URL(proxy.url)
  await proxy.stop()
  expect(await readSlot(upstream)).toMatchObject({
    transient: true,
    message: expect.stringMatching(/ECONNREFUSED/),
  })
  const again = await UpstreamProxy.start(answersOf(fakeNode()), Number(port))
  cleanUps.push(() => again.stop())
  expect(await readSlot(upstream)).toEqual(fromHex('0x2a'))
})

test('requests are passed on undecoded, with the upstream’s own errors', async () => {
  const { proxy, upstream } = await opened()
  const block = await upstream.request('eth_getBlockByNumber', ['0x3e8', false])
  expect(block).toEqual(BLOCK)
  proxy.play(failing({ code: 3, message: 'execution reverted: no', data: '0x08c379a0' }))
  await expect(upstream.request('eth_call', [{}, '0x1'])).rejects.toMatchObject({
    name: 'DevnetError',
    code: 3,
    message: 'execution reverted: no',
    data: '0x08c379a0',
  })
  expect(proxy.items('eth_call')).toBe(1)
})

test('parallel requests share a batch', async () => {
  const { proxy, upstream } = await opened()
  proxy.reset()
  await Promise.all(
    [1, 2, 3].map((n) => upstream.request('eth_getBlockByNumber', [`0x${n}`, false])),
  )
  // With the question which blocks are final.
  expect(proxy.requests.map(({ items }) => items.length)).toEqual([4])
})

test('a request ends with its signal', async () => {
  const { proxy, upstream } = await opened()
  proxy.play(() => ({ kind: 'hang' }))
  proxy.reset()
  const controller = new AbortController()
  const asked = upstream.request('debug_traceCall', [{}, '0x1'], controller.signal)
  await proxy.came(1)
  controller.abort(new Error('the client has left'))
  await expect(asked).rejects.toThrow('the client has left')
  // The connection ends, which is no failure of the upstream.
  await new Promise(setImmediate)
  expect(upstream.status()).toMatchObject({ waiting: 0, failed: 0, lastFailure: null })
})

test('close() ends reads and requests that hang at once', async () => {
  const { proxy, upstream } = await opened()
  proxy.play(() => ({ kind: 'hang' }))
  proxy.reset()
  const slot = readSlot(upstream)
  const request = upstream.request('eth_call', [{}, '0x1']).catch((error: unknown) => error)
  await proxy.came(2)
  await upstream.close()
  expect(await slot).toMatchObject({ message: 'The node was stopped' })
  expect(await request).toMatchObject({ message: 'The node was stopped' })
})

test('a start ends with its signal', async () => {
  const proxy = await proxyOf(fakeNode())
  proxy.play(() => ({ kind: 'hang' }))
  const controller = new AbortController()
  const start = open(proxy, { signal: controller.signal })
  const failed = expect(start).rejects.toThrow('The node was stopped')
  await proxy.came(1)
  controller.abort()
  await failed
})

test.each<[string, Partial<FakeNode>, Partial<UpstreamOptions>, string]>([
  ['no such block', {}, { block: 77n }, 'does not have block 77.'],
  [
    'no state of the block',
    { stateError: { code: -32000, message: 'missing trie node' } },
    { block: 1000n },
    'has block 1000, but not its state any more (500 blocks old): take a newer block, or an archive node.',
  ],
  [
    'no state of the block, and no eth_getAccountInfo',
    {
      missing: ['eth_getAccountInfo'],
      stateError: { code: -32000, message: 'missing trie node' },
    },
    { block: 1000n },
    'has block 1000, but not its state any more (500 blocks old): take a newer block, or an archive node.',
  ],
  [
    'a negative number beyond the first block',
    {},
    { block: -2000n },
    'has only 1500 blocks, not 2000.',
  ],
  ['zkSync Era', { chainId: 324 }, {}, 'is zkSync Era (chain 324)'],
  [
    'no chain id',
    { missing: ['eth_chainId'] },
    {},
    'did not give eth_chainId: the method does not exist',
  ],
  ['a block without a hash', { block: { ...BLOCK, hash: null } }, {}, 'a block without a hash'],
])('a start with %s is refused with the origin', async (_, changes, options, message) => {
  const proxy = await proxyOf(fakeNode(changes))
  const start = open(proxy, options)
  await expect(start).rejects.toMatchObject({ name: 'UpstreamError' })
  await expect(start).rejects.toThrow(`${proxy.url} `)
  await expect(start).rejects.toThrow(message)
})

test('what a start does not get is told with the origin', async () => {
  const stateError = { code: -32603, message: 'internal error' }
  const proxy = await proxyOf(fakeNode({ missing: ['eth_getAccountInfo'], stateError }))
  await expect(open(proxy)).rejects.toThrow(
    new RegExp(
      `^${proxy.url}: upstream did not give .* at block 1000: internal error \\(-32603\\), 1 attempt.$`,
    ),
  )
})

test.each<[string, string[]]>([
  ['all methods', []],
  ['no eth_getAccountInfo', ['eth_getAccountInfo']],
])('a start asks another server for state that one lacks, with %s', async (_, missing) => {
  const node = fakeNode({ missing })
  const answers = answersOf(node)
  let left = 2
  const proxy = await UpstreamProxy.start((item) => {
    const isState = /^eth_get(?:AccountInfo|Balance)$/.test(item.method)
    if (!isState || missing.includes(item.method) || left-- <= 0) return answers(item)
    return { error: { code: -32000, message: 'header not found' } }
  })
  cleanUps.push(() => proxy.stop())
  expect((await open(proxy)).block.number).toBe(1000n)
})

test('a start without an upstream says so', async () => {
  const proxy = await proxyOf(fakeNode())
  await proxy.stop()
  await expect(open(proxy)).rejects.toThrow(
    new RegExp(`^${proxy.url} did not give eth_chainId: .*ECONNREFUSED.*, 5 attempts in`),
  )
})

test.each([
  ['no URL', 'upstream', 'The URL of the upstream is not valid.'],
  ['a WebSocket', 'wss://node.test/key', 'must begin with http:// or https://, not with wss://.'],
])('%s is refused without showing it', async (_, url, message) => {
  const start = openUpstream({ url, block: 'latest', cache: false })
  await expect(start).rejects.toMatchObject({ name: 'OptionError' })
  await expect(start).rejects.toThrow(message)
  await expect(start).rejects.not.toThrow('key')
})

test('path, query, user and headers are sent, and in no error, status or file', async () => {
  const node = fakeNode()
  const proxy = await proxyOf(node)
  const cache = temporaryFolder()
  const url = proxy.url.replace('http://', 'http://user-secret:pass-secret@')
  const upstream = await open(proxy, {
    url: `${url}/v2/path-secret?key=query-secret`,
    headers: { 'X-Key': 'header-secret', Authorization: 'Bearer bearer-secret' },
    cache,
  })
  const [request] = proxy.requests
  expect(request?.url).toBe('/v2/path-secret?key=query-secret')
  expect(request?.headers).toMatchObject({
    'x-key': 'header-secret',
    authorization: 'Bearer bearer-secret',
  })
  const secrets = ['user', 'pass', 'path', 'query', 'header', 'bearer'].map(
    (one) => `${one}-secret`,
  )
  const message = `bad key ${secrets.join(' ')}`
  proxy.play(failing({ code: -32000, message, data: { keys: secrets } }))
  const errors: unknown[] = [
    await readSlot(upstream),
    await upstream.request('eth_call', []).catch((error: unknown) => error),
  ]
  proxy.play(() => ({ kind: 'http', status: 401, body: message }))
  errors.push(await readSlot(upstream))
  await upstream.close()
  const texts = [
    ...errors.map((error) => {
      expect(error).toBeInstanceOf(Error)
      const { message: text, stack, cause, ...rest } = error as Error
      return JSON.stringify([text, stack, String(cause), rest, Object.entries(rest)])
    }),
    JSON.stringify([upstream.origin, upstream.status()]),
    ...filesOf(cache),
  ]
  for (const text of texts) expect(text).not.toMatch(/-secret/)
})

/** The contents and names of all files in a folder. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile()
      ? [entry.name, readFileSync(join(entry.parentPath, entry.name), 'latin1')]
      : [entry.name],
  )
}

test('the hash of an older block comes from the contract of EIP-2935 where it is there', async () => {
  const { BLOCK_HASHES } = await import('../../../devnet/protocol/systemContracts.ts')
  const node = fakeNode()
  const answers = answersOf(node)
  const kept = `0x${'00'.repeat(2)}${'77'.repeat(30)}`
  const proxy = await UpstreamProxy.start((item) => {
    if (item.params[0] !== BLOCK_HASHES.address) return answers(item)
    if (item.method === 'eth_getStorageAt') {
      const isKept = BigInt(String(item.params[1])) === 990n
      return { result: isKept ? kept : `0x${'0'.repeat(64)}` }
    }
    return { result: { balance: '0x0', nonce: '0x1', code: BLOCK_HASHES.code } }
  })
  cleanUps.push(() => proxy.stop())
  const upstream = await open(proxy)
  proxy.reset()
  expect(toHex(await upstream.source.blockHash(990n))).toBe(kept)
  expect(proxy.items('eth_getBlockByNumber')).toBe(0)
  // The contract does not know this one.
  node.block = { ...BLOCK, number: '0x3e7', hash: `0x${'99'.repeat(32)}` }
  proxy.play(({ items }) =>
    items.some(({ params }) => params[0] === '0x3e8')
      ? {
          kind: 'answers',
          change: (given) =>
            given.map((each, index) =>
              items[index]?.params[0] === '0x3e8' ? { ...each, result: BLOCK } : each,
            ),
        }
      : undefined,
  )
  expect(toHex(await upstream.source.blockHash(999n))).toBe(`0x${'99'.repeat(32)}`)
})

test('another contract at the address of EIP-2935 is not believed', async () => {
  const { proxy, upstream } = await opened()
  proxy.reset()
  await expect(upstream.source.blockHash(1n)).rejects.toMatchObject({ name: 'UpstreamError' })
  expect(proxy.items('eth_getStorageAt')).toBe(0)
  expect(proxy.items('eth_getBlockByNumber')).toBeGreaterThan(0)
})

const HONEST = (slot: string) => slotValue({ slots: {} }, slot)
const EVEN = Array.from({ length: 10 }, (_, n) => BigInt(2 * n))
const ODD = Array.from({ length: 10 }, (_, n) => BigInt(2 * n + 1))

test.each<[string, bigint[], (slot: string) => string, number[], number[]]>([
  ['proves itself by four of them', ODD, HONEST, [5], [1]],
  [
    'proves itself by one more if they are zero',
    [...EVEN.slice(0, 4), ...ODD],
    HONEST,
    [5, 1],
    [1],
  ],
  ['is not proved by zeros', EVEN, HONEST, [5, 6], [5, 6]],
  ['is never used if it lies', ODD, () => `0x${'0'.repeat(64)}`, [5, 6], [10]],
])('one call that reads slots %s', async (_, numbers, called, first, then) => {
  const { proxy, upstream } = await opened(fakeNode({ called }))
  await readSlot(upstream)
  const load = async (offset: bigint) => {
    proxy.reset()
    const slots = numbers.map((slot) => [KEY, slotKeyFromBigInt(slot + offset)] as const)
    const values = await upstream.source.load({ accounts: [], slots })
    const hexes = values.slots.map((each) => (each instanceof Uint8Array ? toHex(each) : each))
    expect(hexes).toEqual(
      numbers.map((slot) => HONEST(`0x${(slot + offset).toString(16)}`).replace(/^0x(00)+/, '0x')),
    )
    return proxy.requests.map(({ items }) => items.length)
  }
  expect(await load(0n)).toEqual(first)
  expect(await load(100n)).toEqual(then)
})

const addressOf = (index: number) => `0x${(index + 0x10000).toString(16).padStart(40, '0')}`
const RICH = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [addressOf(n), `0x${n + 1}`]))

test.each<[string, (address: string) => string, number[], number[]]>([
  // The nonces and codes, the call, and the balances of four.
  ['proves itself by four of them', (address) => RICH[address] ?? '0x0', [25], [21]],
  ['is never used if it lies', () => '0x7', [25, 6], [30]],
])('one call that reads balances %s', async (_, called, first, then) => {
  const node = fakeNode({ called, balances: RICH, missing: ['eth_getAccountInfo'] })
  const { proxy, upstream } = await opened(node)
  const load = async (offset: number) => {
    proxy.reset()
    const addresses = Array.from({ length: 10 }, (_, index) => addressOf(index + offset))
    const keys = addresses.map((address) => addressKeyFromHex(address))
    const { accounts } = await upstream.source.load({ accounts: keys, slots: [] })
    expect(accounts).toMatchObject(
      addresses.map((address) => ({ balance: BigInt(RICH[address] ?? 0) })),
    )
    return proxy.requests.map(({ items }) => items.length)
  }
  expect(await load(0)).toEqual(first)
  expect(await load(10)).toEqual(then)
})

const SENT: Hex = `0x${'5e'.repeat(32)}`

/** An upstream that has one transaction, in the block after {@link BLOCK}; some fields are wrong. */
async function standOn(block: object, transaction: object = {}): Promise<Upstream> {
  const child = {
    ...BLOCK,
    number: '0x3e9',
    hash: `0x${'cd'.repeat(32)}`,
    parentHash: HASH,
    transactions: [{ hash: SENT }],
    ...block,
  }
  const sent = { hash: SENT, blockHash: child.hash, blockNumber: '0x3e9', ...transaction }
  const answers = answersOf(fakeNode())
  const upstreamProxy = await UpstreamProxy.start((item) => {
    if (item.method === 'eth_getTransactionByHash') return { result: sent }
    const isChild = item.method === 'eth_getBlockByHash' && item.params[0] === child.hash
    return isChild ? { result: child } : answers(item)
  })
  onTestFinished(() => upstreamProxy.stop())
  const upstream = await openUpstream(
    { url: upstreamProxy.url, block: 'latest', transaction: SENT, cache: false },
    HASTY_TIME,
  )
  onTestFinished(() => upstream.close())
  return upstream
}

test('hashes in capitals stand on the transaction all the same', async () => {
  const loud = (hash: string) => hash.toUpperCase().replace('X', 'x')
  const upstream = await standOn({ transactions: [{ hash: loud(SENT) }], parentHash: loud(HASH) })
  expect(upstream.block.hash).toBe(HASH)
  expect(upstream.pending?.transactions).toHaveLength(1)
})

test.each<[string, object, object]>([
  ['a block that does not list the transaction', { transactions: [] }, {}],
  ['a block that lists others', { transactions: [{ hash: HASH }, { hash: { toString: 1 } }] }, {}],
  ['a block with another number', { number: '0x3ea' }, {}],
  ['a block two after its parent', { number: '0x3ea' }, { blockNumber: '0x3ea' }],
  ['a transaction with another number', {}, { blockNumber: '0x3e8' }],
  ['a transaction without a number', {}, { blockNumber: { toString: 1 } }],
])('%s: the start says so', async (_, block, transaction) => {
  await expect(standOn(block, transaction)).rejects.toThrow(/contradicts itself: [^\n]+\.$/)
})
