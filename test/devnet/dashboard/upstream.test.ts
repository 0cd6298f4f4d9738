import { expect, onTestFinished, test } from 'vitest'
import type { Hex, OptionsInput } from '../../../devnet/index.ts'
import { ask, startUpstream } from '../../integration/fork/forkSupport.ts'
import { failing, UpstreamProxy } from '../../support/upstreamProxy.ts'
import { ALICE, BOB, startDashboard } from './support.ts'

/** A chain with a transaction in each of four blocks, seen through a proxy, and a fork of it. */
async function startPair(options: OptionsInput = {}) {
  const upstream = await startUpstream()
  const sent: Hex[] = []
  for (let count = 0; count < 4; count++) {
    const [from, to] = upstream.accounts.map(({ address }) => address)
    sent.push(await ask<Hex>(upstream, 'eth_sendTransaction', { from, to, value: '0x5' }))
    await upstream.clock.advance({ ticks: 1 })
    await upstream.clock.seal()
  }
  const proxy = await UpstreamProxy.start(upstream.url)
  onTestFinished(() => proxy.stop())
  const fork = await startDashboard({
    fork: proxy.url,
    forkBlockNumber: 6n,
    noForkCache: true,
    ...options,
  })
  const [, , third, last] = sent
  if (third === undefined || last === undefined) throw new Error('Four were sent')
  await fork.ask('state', {})
  proxy.reset()
  return { upstream, proxy, fork, third, last }
}

const NOBODY: Hex = `0x${'11'.repeat(32)}`

test('the status says of what this is a fork, and at which block', async () => {
  const { fork, proxy } = await startPair()
  const { status } = await fork.ask('state', {})
  expect(status.fork).toMatchObject({ origin: proxy.url, number: 6 })
})

test('a block up to the fork block is read from the upstream, if it is asked for as such', async () => {
  const { fork, proxy, third, upstream } = await startPair()
  for (const [id, number] of [
    [5, 5],
    [6, 6],
    ['latest', 6],
    [0, 0],
  ] as const) {
    const own = await fork.ask('block', { id })
    expect(own).toMatchObject({ found: false, upstream: number })
  }
  expect(proxy.items()).toBe(0)
  const block = await fork.ask('block', { id: 6, upstream: true })
  expect(block).toMatchObject({
    found: true,
    number: 6,
    hashes: [third],
    positions: { first: 0, end: 1 },
    previous: 5,
    next: 7,
  })
  const json = await ask<{ hash: Hex; miner: Hex }>(upstream, 'eth_getBlockByNumber', '0x5', false)
  const byHash = await fork.ask('block', { id: json.hash, upstream: true })
  expect(byHash).toMatchObject({ found: true, number: 5, coinbase: json.miner })
  expect(byHash).toEqual(await fork.ask('block', { id: 5, upstream: true }))
})

test("what the upstream sealed later is not this chain's", async () => {
  const { fork, last, upstream } = await startPair()
  const { hash } = await ask<{ hash: Hex }>(upstream, 'eth_getBlockByNumber', '0x7', false)
  for (const id of [7, hash, NOBODY] as const) {
    expect(await fork.ask('block', { id, upstream: true })).toMatchObject({ found: false })
  }
  for (const one of [last, NOBODY]) {
    expect(await fork.ask('upstreamTransaction', { hash: one })).toMatchObject({ found: false })
  }
  expect(await fork.ask('block', { id: 8 })).toMatchObject({ found: false, upstream: null })
  expect(await fork.ask('block', { id: 7 })).toMatchObject({ found: true, hash: null })
})

test('a transaction of the upstream has its fields, outcome and names', async () => {
  const { fork, third, proxy } = await startPair()
  const own = await fork.ask('transaction', { hash: third })
  expect(own).toMatchObject({ found: false, upstream: third })
  expect(proxy.items()).toBe(0)
  const answer = await fork.ask('upstreamTransaction', { hash: third })
  expect(answer).toMatchObject({
    found: true,
    hash: third,
    blockNumber: 6,
    from: ALICE,
    to: BOB,
    value: '5',
    success: true,
    raw: { transaction: { nonce: '0x2' }, receipt: { gasUsed: '0x5208', logs: [] } },
    names: { [ALICE]: 'Account #0', [BOB]: 'Account #1' },
  })
})

test('the list of blocks ends above the fork block, and goes on from the upstream', async () => {
  const { fork, proxy } = await startPair()
  expect(await fork.ask('strip', {})).toMatchObject({ groups: [{ number: 7 }], next: null })
  await fork.devnet.clock.advance({ blocks: 2 })
  const { groups } = await fork.ask('strip', {})
  expect(groups[0]).toEqual({ kind: 'empty', from: 7, to: 8 })
  expect(proxy.items('eth_getBlockByNumber')).toBe(0)
  const { groups: older, next } = await fork.ask('strip', { before: 7, limit: 50 })
  const shown = older.map((group) =>
    group.kind === 'block' ? [group.number, group.transactions] : [],
  )
  expect(shown).toEqual([
    [0, 0],
    [1, 0],
    [2, 0],
    [3, 0],
    [4, 1],
    [5, 1],
    [6, 1],
  ])
  expect(next).toBe(null)
  // In one request.
  expect(
    proxy.requests.filter(({ items }) => items[0]?.method === 'eth_getBlockByNumber'),
  ).toHaveLength(1)
})

test('a number and a hash up to the fork block are found by the search', async () => {
  const { fork, third, proxy } = await startPair()
  expect((await fork.ask('resolve', { text: '#3' })).matches).toEqual([
    { kind: 'block', text: 'Block 3', path: '/block/3' },
  ])
  expect((await fork.ask('resolve', { text: '70' })).matches).toEqual([])
  expect(proxy.items()).toBe(0)
  expect((await fork.ask('resolve', { text: third })).matches).toEqual([
    { kind: 'transaction', text: `${third}, if the upstream has it`, path: `/tx/${third}` },
    { kind: 'block', text: `${third}, if the upstream has it`, path: `/block/${third}` },
  ])
  expect(proxy.items()).toBe(0)
})

test('an upstream that fails is a sentence, without what is secret in its URL', async () => {
  const { fork, proxy, third } = await startPair({ forkTimeout: 1_500 })
  proxy.play(() => ({ kind: 'http', status: 429 }))
  const error = await fork.ask('upstreamTransaction', { hash: third }).catch(String)
  expect(error).toMatch(/429/)
  proxy.play(failing({ code: -32000, message: 'missing trie node' }))
  await expect(fork.ask('block', { id: 2, upstream: true })).rejects.toThrow(/missing trie node/)
  proxy.play(() => ({ kind: 'reset', afterHalf: true }))
  await expect(fork.ask('strip', { before: 4 })).rejects.toThrow()
  proxy.play()
  expect(await fork.ask('block', { id: 2, upstream: true })).toMatchObject({ found: true })
})

test.each([
  ['no object', 'x'],
  ['no hash', { hash: null }],
  ['another number', { number: '0x3' }],
  ['markup in the place of a hash', { hash: '<b>' }],
  ['no hexadecimal text', { gasUsed: '<b>' }],
  ['an address that is too long', { miner: `0x${'1'.repeat(42)}` }],
])('an answer that has not the form of a block is refused: %s', async (_, change) => {
  const { fork, proxy } = await startPair()
  proxy.play(() => ({
    kind: 'answers',
    change: (answers) =>
      answers.map((answer) => {
        const { result } = answer as { result: object }
        return { ...answer, result: typeof change === 'string' ? change : { ...result, ...change } }
      })[0],
  }))
  await expect(fork.ask('block', { id: 2, upstream: true })).rejects.toThrow(
    /^The upstream answered /,
  )
})

test('what is no hash in the list of a block is left out and counted', async () => {
  const { fork, proxy } = await startPair()
  const hashes = [NOBODY, '<script>', 7, ...Array(2_000).fill(NOBODY)]
  proxy.play(() => ({
    kind: 'answers',
    change: ([answer]) => {
      const { result } = answer as { result: object }
      return { ...answer, result: { ...result, transactions: hashes } }
    },
  }))
  const block = await fork.ask('block', { id: 2, upstream: true })
  expect(block).toMatchObject({ found: true, positions: { first: 0, end: 2_003 } })
  expect(block).toHaveProperty('hashes', Array(98).fill(NOBODY))
})

test('a chain that is not a fork has no upstream to ask', async () => {
  const { ask: request } = await startDashboard()
  await expect(request('block', { id: 0, upstream: true })).rejects.toThrow('is not a fork')
  expect(await request('transaction', { hash: NOBODY })).toMatchObject({ upstream: null })
  expect((await request('resolve', { text: '98765' })).matches).toEqual([])
})
