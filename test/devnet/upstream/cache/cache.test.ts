import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { slotKeyFromBigInt } from '../../../../devnet/state/keys.ts'
import { CacheFolder } from '../../../../devnet/upstream/cache/cacheFolder.ts'
import { Endpoint } from '../../../../devnet/upstream/client/endpoint.ts'
import type { UpstreamTime } from '../../../../devnet/upstream/client/upstreamTime.ts'
import { openUpstream } from '../../../../devnet/upstream/openUpstream.ts'
import type { Upstream, UpstreamOptions } from '../../../../devnet/upstream/types.ts'
import { Random } from '../../../support/random.ts'
import { UpstreamProxy } from '../../../support/upstreamProxy.ts'
import {
  ADDRESS,
  answersOf,
  BLOCK,
  CONTRACT,
  type FakeNode,
  fakeNode,
  HASH,
  HASTY_TIME,
  slotsOf,
  slotValue,
} from '../fakeNode.ts'

const cleanUps: (() => unknown)[] = []
let cache: string
let node: FakeNode
let proxy: UpstreamProxy
beforeEach(async () => {
  cache = mkdtempSync(join(tmpdir(), 'cache-'))
  node = fakeNode()
  proxy = await UpstreamProxy.start(answersOf(node))
})
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
  await proxy.stop()
  rmSync(cache, { recursive: true, force: true })
})

async function open(
  options: Partial<UpstreamOptions> = {},
  time: UpstreamTime = HASTY_TIME,
): Promise<Upstream> {
  const upstream = await openUpstream({ url: proxy.url, block: 'latest', cache, ...options }, time)
  cleanUps.push(() => upstream.close())
  return upstream
}

/** Values of the contract and the slots of a piece, as text that can be compared. */
async function read(upstream: Upstream, piece = 0): Promise<unknown> {
  const slots = slotsOf(piece).map((slot) => [CONTRACT, slotKeyFromBigInt(slot)] as const)
  const values = await upstream.source.load({ accounts: [CONTRACT], slots })
  for (const value of [...values.accounts, ...values.slots]) {
    if (value instanceof Error) throw value
  }
  return values
}

/** The file of the block in the cache. */
function blockFile(): string {
  const [name] = readdirSync(join(cache, '4242')).filter((each) => each.includes(HASH))
  return join(cache, '4242', String(name))
}

test('a restart with the cache takes one request, and reads nothing twice', async () => {
  const first = await open()
  const values = await read(first)
  await first.close()
  proxy.reset()
  const second = await open()
  expect(await read(second)).toEqual(values)
  expect(second.initial).toEqual(first.initial)
  expect(proxy.requests).toHaveLength(1)
  expect(second.status()).toMatchObject({ requests: 1, items: 4, cached: 13 + 11, waiting: 0 })
})

/** A time in which nothing is written before the end. */
const IDLE_TIME: UpstreamTime = { ...HASTY_TIME, after: () => () => undefined }

test('networks of a process share what they have read before any file has it', async () => {
  const first = await open({}, IDLE_TIME)
  const values = await read(first)
  const hash = await first.source.blockHash(1000n)
  proxy.reset()
  const second = await open({}, IDLE_TIME)
  expect(await read(second)).toEqual(values)
  expect(await second.source.blockHash(1000n)).toEqual(hash)
  expect(second.initial).toEqual(first.initial)
  expect(proxy.requests).toHaveLength(1)
  expect(existsSync(join(cache, '4242'))).toBe(false)
  // A second close of the first is not that of the second, which goes on to read.
  await first.close()
  await first.close()
  const others = await read(second, 1)
  proxy.reset()
  const third = await open({}, IDLE_TIME)
  expect([await read(third), await read(third, 1)]).toEqual([values, others])
  expect(proxy.requests).toHaveLength(1)
})

test('what networks share is forgotten with the last of them', async () => {
  const [first, second] = [await open(), await open()]
  const values = await read(first)
  await first.close()
  await second.close()
  rmSync(cache, { recursive: true })
  proxy.reset()
  expect(await read(await open())).toEqual(values)
  expect(proxy.items('eth_getStorageAt')).toBeGreaterThanOrEqual(10)
})

test('a start that fails keeps nothing of what networks share', async () => {
  const forms = node.forms
  node.forms = []
  await expect(open()).rejects.toThrow('did not give')
  node.forms = forms
  await (await open()).close()
  rmSync(cache, { recursive: true })
  proxy.reset()
  await open()
  expect(proxy.requests).toHaveLength(2)
})

test('networks without a cache share nothing', async () => {
  const first = await open({ cache: false })
  const values = await read(first)
  proxy.reset()
  expect(await read(await open({ cache: false }))).toEqual(values)
  expect(proxy.items('eth_getStorageAt')).toBeGreaterThanOrEqual(10)
})

test('what became known is written without an end of the node', async () => {
  const first = await open()
  const values = await read(first)
  // The time of the tests writes at once; this waits for the file.
  const line = `["slot","${ADDRESS}"`
  while (!readFileSync(blockFile(), 'utf8').includes(line)) await new Promise(setImmediate)
  const second = await open()
  proxy.reset()
  expect(await read(second)).toEqual(values)
  expect(proxy.requests).toHaveLength(0)
})

test.each<[string, UpstreamOptions['block']]>([
  ['number', 1000n],
  ['hash', HASH],
])('offline, a block by %s is answered by the cache', async (_, block) => {
  const first = await open()
  const values = await read(first)
  const hash = await first.source.blockHash(1000n)
  await first.close()
  await proxy.stop()
  proxy.reset()
  const offline = await open({ offline: true, block })
  expect(await read(offline)).toEqual(values)
  expect(await offline.source.blockHash(1000n)).toEqual(hash)
  expect(offline.block).toEqual(first.block)
  expect([offline.chainId, offline.hardfork, offline.hardforkFrom]).toEqual([
    first.chainId,
    first.hardfork,
    first.hardforkFrom,
  ])
  expect(offline.status()).toMatchObject({ requests: 0, items: 0 })
})

test('offline, what the cache does not hold is named', async () => {
  const first = await open()
  await first.close()
  const offline = await open({ offline: true, block: 1000n })
  await expect(read(offline)).rejects.toMatchObject({
    code: -32001,
    transient: false,
    message: `the cache does not hold account 0x${'11'.repeat(20)} at block 1000, and the upstream is not asked in offline mode: run once without it`,
  })
  await expect(offline.request('eth_call', [])).rejects.toThrow(
    'eth_call needs the upstream, which is not asked in offline mode',
  )
})

test.each<[string, Partial<UpstreamOptions>, string]>([
  ['latest', { block: 'latest' }, 'Offline mode needs a fork block by number or hash.'],
  ['a negative number', { block: -1n }, 'Offline mode needs a fork block by number or hash.'],
  ['no cache', { block: 1000n, cache: false }, 'Offline mode needs the cache of the upstream.'],
  [
    'an unknown block',
    { block: 1001n },
    'does not hold block 1001: run once without offline mode.',
  ],
])('offline with %s is refused', async (_, options, message) => {
  await (await open()).close()
  await expect(open({ offline: true, ...options })).rejects.toThrow(message)
})

test('a block that replaces another of its height has values of its own', async () => {
  const first = await open()
  const values = await read(first)
  await first.close()
  node.block = { ...BLOCK, hash: `0x${'ee'.repeat(32)}` }
  node.balance = '0x7777'
  const second = await open()
  const others = await read(second)
  expect(others).not.toEqual(values)
  expect(others).toMatchObject({ accounts: [{ balance: 0x7777n }] })
  await second.close()
  expect(await read(await open({ offline: true, block: HASH }))).toEqual(values)
  await expect(open({ offline: true, block: 1000n })).rejects.toThrow(
    'holds 2 blocks with the number 1000: name the block by its hash.',
  )
})

test('flipped bytes are noticed, and what they hit is asked again', async () => {
  const first = await open()
  const values = await read(first)
  await first.close()
  const intact = readFileSync(blockFile())
  const random = new Random(1)
  for (let round = 0; round < 40; round++) {
    const damaged = Buffer.from(intact)
    for (let flip = 0; flip < 5; flip++) {
      const at = random.below(damaged.length)
      damaged[at] = (damaged[at] ?? 0) ^ (1 << random.below(8))
    }
    writeFileSync(blockFile(), damaged)
    const upstream = await open()
    expect(await read(upstream)).toEqual(values)
    expect(upstream.initial).toEqual(first.initial)
    await upstream.close()
  }
})

test('lines that a stranger wrote, with the right checksums, cost only themselves', async () => {
  const first = await open()
  const values = await read(first)
  await first.close()
  const deep = '['.repeat(9_000) + ']'.repeat(9_000)
  for (const text of ['', '{', `["block",${deep}]`, `["account","${ADDRESS}","0x`, '["slot",1']) {
    const sum = crc32(text).toString(16).padStart(8, '0')
    appendFileSync(blockFile(), `\n["${sum}",${text}]\n`)
  }
  const second = await open()
  proxy.reset()
  expect(await read(second)).toEqual(values)
  expect(proxy.items()).toBe(0)
})

test('a line that a killed process left unfinished costs only itself', async () => {
  const first = await open()
  const values = await read(first)
  await first.close()
  const intact = readFileSync(blockFile())
  for (let length = intact.length - 1; length > 0; length -= 97) {
    writeFileSync(blockFile(), intact.subarray(0, length))
    const second = await open()
    expect(await read(second)).toEqual(values)
    await second.close()
    // What was cut off is there again, behind the rest of its line.
    proxy.reset()
    const third = await open()
    expect(await read(third)).toEqual(values)
    await third.close()
    expect(proxy.requests).toHaveLength(1)
  }
})

function startWriter(pieces: number): ChildProcess {
  const path = fileURLToPath(new URL('cacheWriter.child.ts', import.meta.url))
  const child = spawn(process.execPath, [path, proxy.url, cache, String(pieces)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  cleanUps.push(() => child.kill('SIGKILL'))
  return child
}

test('two processes that write at once, one of which is killed, leave a cache that is right', async () => {
  const PIECES = 30
  const [whole, killed] = [startWriter(PIECES), startWriter(1000)]
  const ended = once(whole, 'exit')
  whole.stdout?.resume()
  if (killed.stdout === null) throw new Error('the output of the child is piped')
  for await (const line of createInterface({ input: killed.stdout })) {
    if (Number(line) >= 60) break
  }
  const gone = once(killed, 'exit')
  killed.kill('SIGKILL')
  expect((await gone)[1]).toBe('SIGKILL')
  expect((await ended)[0]).toBe(0)
  const offline = await open({ offline: true, block: 1000n })
  const online = await open({ cache: false })
  for (let piece = 0; piece < PIECES; piece++) {
    expect(await read(offline, piece)).toEqual(await read(online, piece))
  }
  // What the killed process wrote of its own is right where it is there.
  const cached = await open()
  for (let piece = PIECES; piece < 60; piece++) {
    expect(await read(cached, piece)).toEqual(await read(online, piece))
  }
}, 60_000)

test('capabilities of an upstream are remembered', async () => {
  node.missing = ['eth_getAccountInfo']
  node.forms = ['number']
  await (await open()).close()
  proxy.reset()
  const second = await open()
  await read(second)
  const methods = proxy.requests.flatMap(({ items }) => items.map(({ method }) => method))
  expect(methods).not.toContain('eth_getAccountInfo')
  // Neither form that it refuses is tried again.
  expect(proxy.requests).toHaveLength(2)
})

test('another node at the same origin is asked as it wants', async () => {
  await (await open()).close()
  node.missing = ['eth_getAccountInfo']
  node.forms = ['number']
  node.block = { ...BLOCK, hash: `0x${'ee'.repeat(32)}` }
  const second = await open()
  expect(await read(second)).toMatchObject({ accounts: [{ balance: 100n }] })
})

test('what is known of several chains behind one host is kept apart', async () => {
  const hash: `0x${string}` = `0x${'ee'.repeat(32)}`
  const other = fakeNode({ chainId: 5, block: { ...BLOCK, hash } })
  node.missing = ['eth_getAccountInfo']
  node.forms = ['number']
  const [one, two] = [answersOf(node), answersOf(other)]
  let chain = one
  const shared = await UpstreamProxy.start((item) => chain(item))
  cleanUps.push(() => shared.stop())
  for (chain of [one, two, one, two]) {
    await (await open({ url: shared.url })).close()
  }
  const folder = new CacheFolder(cache)
  const { chains, last } = await folder.readCapabilities(new Endpoint(shared.url).key)
  expect(chains).toEqual(
    new Map([
      [4242n, { accountInfo: false, addressForm: 'number' }],
      [5n, { accountInfo: true, addressForm: 'hashObject' }],
    ]),
  )
  expect(last).toBe(5n)
  shared.reset()
  chain = one
  const again = await open({ url: shared.url })
  await read(again)
  // Neither form that this one refuses is tried again.
  expect(shared.requests).toHaveLength(2)
  await expect(open({ url: shared.url, offline: true, block: 1000n })).rejects.toThrow(
    `holds 2 blocks with the number 1000: name the block by its hash.`,
  )
  expect((await open({ url: shared.url, offline: true, block: hash })).chainId).toBe(5n)
})

test('a header and rules that repeat a key are not written', async () => {
  const url = `${proxy.url}/secret-key`
  node.block = { ...BLOCK, servedFor: 'secret-key' }
  node.config = { current: { chainId: '0x1092', note: 'secret-key' } }
  const first = await open({ url })
  const values = await read(first)
  // Another network of the process must not get them, either: it may not know that they are secret.
  const refusal = 'does not hold the header of block 1000'
  await (await open({ url })).close()
  await expect(open({ offline: true, block: 1000n })).rejects.toThrow('does not hold block 1000')
  await expect(open({ url, offline: true, block: 1000n })).rejects.toThrow(refusal)
  await first.close()
  expect(readFileSync(blockFile(), 'utf8')).not.toContain('secret-key')
  await expect(open({ url, offline: true, block: 1000n })).rejects.toThrow(refusal)
  // The values are kept.
  proxy.reset()
  expect(await read(await open({ url }))).toEqual(values)
  expect(proxy.items('eth_getStorageAt')).toBe(0)
})

describe('an upstream that lies about a block, or has pruned its state', () => {
  const path = '/v2/secret-key'
  const PATHS: [string, (proxy: string) => string][] = [
    ['at another port', () => ''],
    ['at another path of the same origin', (url) => `${url}${path}`],
    ['with another query', (url) => `${url}/?node=2`],
  ]

  /** What an upstream says in every way, as text that can be compared. */
  async function everything(options: Partial<UpstreamOptions>): Promise<unknown> {
    const upstream = await open(options)
    const values = await read(upstream)
    const hash = await upstream.source.blockHash(900n)
    const answer = await upstream.request('eth_getBalance', [ADDRESS, '0x300'])
    const { initial, hardfork, block } = upstream
    return { values, hash, answer, initial, hardfork, json: block.json }
  }

  test.each(PATHS)('spoils no other, %s', async (_, urlOf) => {
    const liar = fakeNode({
      ...{ balance: '0x0', nonce: '0x0', code: '0x', slots: {} },
      block: { ...BLOCK, extraData: '0x11a4' },
      config: { current: { chainId: '0x1092' } },
    })
    for (const slot of slotsOf(0))
      liar.slots[`0x${slot.toString(16).padStart(64, '0')}`] = `0x${'0'.repeat(64)}`
    const answerAs = { honest: answersOf(node), liar: answersOf(liar) }
    let speaker: keyof typeof answerAs = 'honest'
    const proxyOf = async () => {
      const started = await UpstreamProxy.start((item) => {
        const hash = `0x${(speaker === 'liar' ? '1a' : '7a').repeat(32)}`
        if (item.params[0] === '0x384') return { result: { ...BLOCK, number: '0x384', hash } }
        return answerAs[speaker](item)
      })
      cleanUps.push(() => started.stop())
      return started
    }
    const [shared, other] = [await proxyOf(), await proxyOf()]
    const [honest, lying] = [shared.url, urlOf(shared.url) || other.url]
    const hear = (as: typeof speaker, options: Partial<UpstreamOptions> = {}) => {
      speaker = as
      return everything({ url: as === 'honest' ? honest : lying, ...options })
    }
    const truth = await hear('honest', { cache: false })
    const lie = await hear('liar', { cache: false })
    expect(lie).not.toEqual(truth)
    // In one process at a time, before anything is written, and from the disk.
    expect(await hear('liar')).toEqual(lie)
    expect(await hear('honest')).toEqual(truth)
    for (const cleanUp of cleanUps.splice(2).toReversed()) await cleanUp()
    expect(await hear('honest')).toEqual(truth)
    expect(await hear('liar')).toEqual(lie)
    for (const cleanUp of cleanUps.splice(2).toReversed()) await cleanUp()
    expect(await hear('honest', { offline: true, block: 1000n })).toEqual(truth)
    expect(await hear('liar', { offline: true, block: 1000n })).toEqual(lie)
    const offline = { url: `${honest}/third`, offline: true, block: HASH }
    await expect(open(offline)).rejects.toThrow('What it holds of other URLs does not count.')
  })

  test('user, password and headers do not tell upstreams apart', async () => {
    await (await open()).close()
    proxy.reset()
    const url = proxy.url.replace('//', '//user:password@')
    await open({ url, headers: { 'x-key': 'secret' } })
    expect(proxy.requests).toHaveLength(1)
  })

  test('no name in the folder holds what is secret', async () => {
    const url = `${proxy.url.replace('//', '//user:password@')}${path}?key=another-secret`
    await (await open({ url })).close()
    const names = readdirSync(cache, { recursive: true }).map(String)
    expect(names.filter((name) => name.includes(HASH)).length).toBeGreaterThan(0)
    const endpoint = new Endpoint(url)
    expect(endpoint.key).toMatch(/^[0-9a-f]{32}$/)
    for (const secret of ['user', 'password', 'secret']) expect(names.join()).not.toContain(secret)
    // Nor can the password be guessed from a hash.
    expect(endpoint.key).toBe(new Endpoint(url.replace('user:password@', '')).key)
  })
})

test('slots that prove a call are written once', async () => {
  node.called = (slot) => slotValue(node, slot)
  const upstream = await open()
  await read(upstream)
  await upstream.close()
  const lines = readFileSync(blockFile(), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  expect(lines.some((line) => line.includes('"slot"'))).toBe(true)
  expect(new Set(lines).size).toBe(lines.length)
})

test('a folder that cannot be written to is told once, and everything goes on', async () => {
  const file = join(cache, 'file')
  writeFileSync(file, '')
  const warnings: string[] = []
  const upstream = await open({ cache: file, onWarning: (message) => warnings.push(message) })
  await read(upstream)
  await upstream.close()
  const own = warnings.filter((each) =>
    each.startsWith('the cache of the upstream cannot be written'),
  )
  expect(own).toHaveLength(1)
})

test('above its bound the folder loses what was not used for longest', async () => {
  const folder = new CacheFolder(cache, 1000)
  const write = async (number: bigint, size: number) => {
    const block = { upstream: 'a', chainId: 1n, number, hash: HASH }
    const keeper = folder.keeper(block, HASTY_TIME, (message) => expect(message).toBe('nothing'))
    keeper.keep(['config', 'x'.repeat(size)])
    await keeper.close()
    return keeper
  }
  const numbers = () => readdirSync(join(cache, '1')).map((name) => name.split('-')[0])
  const keepers = await Promise.all([1n, 2n, 3n].map((number) => write(number, 400)))
  for (const [index, { path = '' }] of keepers.entries())
    utimesSync(path, 1000 + index, 1000 + index)
  const sizes: number[] = []
  await keepers[0]?.load((_, size) => sizes.push(size))
  expect(sizes).toEqual([expect.any(Number)])
  await folder.sweep()
  expect(numbers()).toEqual(['1', '3'])
  // Once an hour.
  await write(4n, 4000)
  await folder.sweep()
  expect(numbers()).toEqual(['1', '3', '4'])
})

test('the default folder is one of the user', async () => {
  const folder = await CacheFolder.choose(undefined)
  expect(folder?.path).toMatch(/hardhat-pending-node.*fork$/)
})
