import { expect, onTestFinished, test } from 'vitest'
import type { Devnet, Hex, OptionsInput } from '../../../devnet/index.ts'
import { UpstreamProxy } from '../../support/upstreamProxy.ts'
import { ask, startFork, startUpstream } from './forkSupport.ts'

const NOBODY: Hex = `0x${'ee'.repeat(20)}`
/** Reads twenty slots when it is called without data. */
const READER: Hex = `0x${'ef'.repeat(20)}`
const SLOTS = 20
const CODE = `0x${Array.from({ length: SLOTS }, (_, slot) => `60${hexByte(slot)}5450`).join('')}`

function hexByte(value: number): string {
  return value.toString(16).padStart(2, '0')
}

async function setUp(options: OptionsInput) {
  const upstream = await startUpstream()
  await ask(upstream, 'hardhat_setCode', READER, CODE)
  await upstream.clock.advance({ blocks: 1 })
  const proxy = await UpstreamProxy.start(upstream.url)
  onTestFinished(() => proxy.stop())
  const fork = await startFork({ fork: proxy.url, ...options })
  proxy.reset()
  return { proxy, fork }
}

/** Sends without data, and ticks. */
async function send(fork: Devnet, to: Hex): Promise<void> {
  const [sender] = fork.accounts
  const transaction = { from: sender?.address, to, value: '0x1', gas: '0x30000' }
  const hash = await ask(fork, 'eth_sendTransaction', transaction)
  await fork.clock.advance({ ticks: 1 })
  expect(await ask(fork, 'eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
}

test('a transfer between unknown accounts takes one request', async () => {
  const { proxy, fork } = await setUp({})
  await send(fork, NOBODY)
  expect(proxy.requests).toHaveLength(1)
  expect(proxy.items()).toBe(2)
})

test.each([
  // Sender and recipient, then the access list beside the first slot, and then the slots.
  ['access-list', 4],
  ['off', 1 + SLOTS],
] as const)('code that runs without data is prefetched, by %s', async (prefetch, most) => {
  const { proxy, fork } = await setUp({ forkPrefetch: prefetch })
  await send(fork, READER)
  expect(proxy.requests.length).toBeLessThanOrEqual(most)
})
