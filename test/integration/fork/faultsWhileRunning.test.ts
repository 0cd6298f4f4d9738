import { expect, onTestFinished, test } from 'vitest'
import { createDevnet, type Devnet, type Hex } from '../../../devnet/index.ts'
import {
  type Fault,
  type FaultRule,
  failing,
  first,
  UpstreamProxy,
} from '../../support/upstreamProxy.ts'
import { ask, COUNTER, startUpstream, word } from './forkSupport.ts'

const RICH: Hex = `0x${'ef'.repeat(20)}`

/** ms within which a node stops. */
const MOST_STOP = 1_000

/** A running node, whose upstream plays a fault from now on, with what it is asked meanwhile. */
async function playedOn(rule: FaultRule, forkTimeout: number) {
  const upstream = await startUpstream()
  await ask(upstream, 'hardhat_setBalance', RICH, '0x77')
  const proxy = await UpstreamProxy.start(upstream.url)
  const fork = createDevnet({
    ...{ port: 0, noWallet: true, noForkCache: true, fork: proxy.url, forkTimeout },
    ...{ frozen: true, tickInterval: 20 },
  })
  onTestFinished(async () => {
    await fork.stop()
    await proxy.stop()
  })
  await fork.start()
  const [from, other] = fork.accounts.map(({ address }) => address)
  for (const known of [from, other]) await ask(fork, 'eth_getBalance', known, 'latest')
  proxy.play(rule)
  const receiptOf = (hash: Hex) => ask(fork, 'eth_getTransactionReceipt', hash)
  const balance = ask<Hex>(fork, 'eth_getBalance', RICH, 'latest')
  const older = ask<{ number: Hex }>(fork, 'eth_getBlockByNumber', '0x1', false)
  const outcomes = Promise.allSettled([balance, older])
  const counting = { from, to: COUNTER, gas: '0x30000' }
  const sent = await ask<Hex>(fork, 'eth_sendTransaction', counting)
  // Ticks go on, and take what misses nothing.
  const transfer = { from: other, to: other, gas: '0x5208' }
  const known = await ask<Hex>(fork, 'eth_sendTransaction', transfer)
  await expect.poll(() => receiptOf(known)).toMatchObject({ status: '0x1' })
  return {
    ...{ proxy, fork, sent, outcomes, receiptOf },
    dropped: async () => (await fork.clock.status()).dropped,
    counter: () => ask<Hex>(fork, 'eth_getStorageAt', COUNTER, '0x0', 'pending'),
  }
}

async function expectStop(fork: Devnet): Promise<void> {
  const start = performance.now()
  await fork.stop()
  expect(performance.now() - start).toBeLessThan(MOST_STOP)
}

/** Plays a rule for the first so many HTTP requests. */
function twice(rule: FaultRule): FaultRule {
  let played = 0
  return (request, index) => (played++ < 2 ? rule(request, index) : undefined)
}

const changed = (change: (answers: object[]) => unknown): Fault => ({ kind: 'answers', change })
const withId = (id: unknown) => changed((all) => all.map((each) => ({ ...each, id })))
const nothing: FaultRule = ({ isBatch }) =>
  changed((all) => {
    const nulls = all.map((each) => ({ ...each, result: null }))
    return isBatch ? nulls : nulls[0]
  })
const refusal = { error: { code: -32600, message: 'batches are not allowed' } }

test.each<[string, FaultRule]>([
  ['HTTP 429', first(2, { kind: 'http', status: 429 })],
  [
    'HTTP 429 with Retry-After',
    first(2, { kind: 'http', status: 429, headers: { 'retry-after': '0' } }),
  ],
  ['HTTP 503', first(2, { kind: 'http', status: 503 })],
  ['HTTP 500', first(2, { kind: 'http', status: 500 })],
  ...[429, -32005, -32007, -32016].map((code): [string, FaultRule] => [
    `code ${code}`,
    twice(failing({ code, message: 'slow down' })),
  ]),
  ['no answer', first(1, { kind: 'hang' })],
  ['a closed connection', first(2, { kind: 'reset', afterHalf: false })],
  ['a connection closed amid the body', first(2, { kind: 'reset', afterHalf: true })],
  ['half of the JSON', first(2, { kind: 'half' })],
  [
    'missing items',
    first(
      2,
      changed((all) => all.slice(1)),
    ),
  ],
  [
    'doubled items',
    first(
      2,
      changed((all) => [...all, ...all]),
    ),
  ],
  [
    'items in another order',
    first(
      2,
      changed((all) => all.toReversed()),
    ),
  ],
  ['wrong ids', first(2, withId(9_999_999))],
  ['a batch refused by HTTP 413', first(2, { kind: 'http', status: 413 })],
  [
    'a batch refused by an error',
    first(
      1,
      changed(() => ({ ...refusal, id: null })),
    ),
  ],
  ['null for values', twice(nothing)],
  ['a missing trie node', twice(failing({ code: -32000, message: 'missing trie node' }))],
])('%s for a while changes no value', async (_, rule) => {
  const { fork, sent, outcomes, receiptOf, counter, dropped } = await playedOn(rule, 6_000)
  await expect.poll(() => receiptOf(sent)).toMatchObject({ status: '0x1' })
  expect(await counter()).toBe(word(8))
  const [balance, older] = await outcomes
  expect(balance).toEqual({ status: 'fulfilled', value: '0x77' })
  // Answers that are passed on are the upstream's own, errors and null among them.
  const isOwnWord = /null|trie/.test(_)
  if (!isOwnWord) expect(older).toMatchObject({ value: { number: '0x1' } })
  expect(await dropped()).toEqual([])
  await expectStop(fork)
})

test.each<[string, FaultRule, RegExp]>([
  ['HTTP 429', () => ({ kind: 'http', status: 429 }), /HTTP 429/],
  ['no answer', () => ({ kind: 'hang' }), /no answer/],
  ['half of the JSON', () => ({ kind: 'half' }), /not JSON/],
  ['wrong ids', () => withId(9_999_999), /no answer in the batch/],
  ['null for values', nothing, /null in the place of/],
  ['HTTP 401', () => ({ kind: 'http', status: 401 }), /HTTP 401/],
  [
    'a missing trie node',
    failing({ code: -32000, message: 'missing trie node' }),
    /missing trie node/,
  ],
])('%s without end is a named error, and the reason of a drop', async (_, rule, reason) => {
  const { proxy, fork, sent, outcomes, receiptOf, dropped } = await playedOn(rule, 1_500)
  await expect
    .poll(dropped)
    .toEqual([{ hash: sent, reason: expect.stringMatching(reason), preconfirmed: false }])
  const [drop] = await dropped()
  expect(drop?.reason).toContain('reads what the upstream does not give: upstream did not give')
  proxy.play()
  // After rate limits, some seconds pass first.
  const receipt = () => receiptOf(sent).catch(() => 'no answer yet')
  await expect.poll(receipt).toBe(null)
  const [balance] = await outcomes
  expect(balance).toMatchObject({ reason: { message: expect.stringMatching(reason) } })
  await expectStop(fork)
})

test('a stop amid a fault ends within a second', async () => {
  const { fork, outcomes } = await playedOn(() => ({ kind: 'hang' }), 45_000)
  await expectStop(fork)
  for (const { status } of await outcomes) expect(status).toBe('rejected')
})
