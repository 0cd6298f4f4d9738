import { expect, onTestFinished, test } from 'vitest'
import type { Devnet, Hex, OptionsInput } from '../../../devnet/index.ts'
import { UpstreamProxy } from '../../support/upstreamProxy.ts'
import {
  ask,
  COUNTER,
  count,
  counterOf,
  failure,
  startFork,
  startUpstream,
  word,
} from './forkSupport.ts'

const NOBODY: Hex = `0x${'ee'.repeat(20)}`
const RICH: Hex = `0x${'ef'.repeat(20)}`
/** Returns the hash of block 1. */
const HASHER: Hex = `0x${'ed'.repeat(20)}`

async function setUp(options: OptionsInput = {}) {
  const upstream = await startUpstream()
  await ask(upstream, 'hardhat_setBalance', RICH, '0x77')
  await ask(upstream, 'hardhat_setCode', HASHER, '0x60014060005260206000f3')
  await upstream.clock.advance({ blocks: 1 })
  const proxy = await UpstreamProxy.start(upstream.url)
  onTestFinished(() => proxy.stop())
  const fork = await startFork({ fork: proxy.url, forkPrefetch: 'off', ...options })
  return { upstream, proxy, fork }
}

/** Leaves all requests from now on without an answer. */
function hang(proxy: UpstreamProxy): void {
  proxy.reset()
  proxy.play(() => ({ kind: 'hang' }))
}

/** Asks for what the fork has to read, and for what it passes on. */
function askForAll(fork: Devnet): Promise<unknown[]> {
  return Promise.all([
    ask(fork, 'eth_getBalance', RICH, 'latest'),
    ask(fork, 'eth_call', { to: HASHER }, 'latest'),
    ask(fork, 'eth_getBlockByNumber', '0x2', false),
    ask(fork, 'eth_getBalance', RICH, '0x3'),
    ask(fork, 'eth_getLogs', { fromBlock: '0x0', toBlock: '0x2' }),
    ask(fork, 'eth_feeHistory', '0x1', '0x2', []),
  ])
}

test('anvil_setRpcUrl asks the new URL for what the old one has not answered', async () => {
  const { upstream, proxy, fork } = await setUp({ frozenTicks: false, frozen: true })
  const drops: unknown[] = []
  fork.on('undo', (event) => drops.push(event))
  const from = fork.accounts[0]?.address
  await ask(fork, 'eth_getBalance', from, 'latest')
  hang(proxy)
  const transaction = { from, to: COUNTER, gas: '0x30000' }
  const hash = await ask<Hex>(fork, 'eth_sendTransaction', transaction)
  const answers = askForAll(fork)
  await proxy.asked('eth_getLogs')
  await proxy.asked('eth_getAccountInfo')
  expect(await ask(fork, 'anvil_setRpcUrl', upstream.url)).toBe(null)
  expect(await answers).toEqual(await askForAll(upstream))
  await expect
    .poll(() => ask(fork, 'eth_getTransactionReceipt', hash))
    .toMatchObject({
      status: '0x1',
    })
  expect(await counterOf(fork)).toBe(word(8))
  expect(drops).toEqual([])
})

test('a reset ends what waits for an upstream that is left', async () => {
  const { upstream, proxy, fork } = await setUp()
  await ask(fork, 'hardhat_reset', { forking: { blockNumber: 3 } })
  hang(proxy)
  const waiting = [
    failure(fork, 'eth_getBalance', RICH, 'latest'),
    failure(fork, 'eth_getBlockByNumber', '0x2', false),
  ]
  await proxy.asked('eth_getBlockByNumber')
  await ask(fork, 'hardhat_reset', { forking: { jsonRpcUrl: upstream.url, blockNumber: 3 } })
  const reason = { code: -32000, message: 'a reset has replaced the chain meanwhile' }
  expect(await Promise.all(waiting)).toEqual([reason, reason])
  expect(await ask(fork, 'eth_getBalance', RICH, 'latest')).toBe('0x77')
})

test('a reset to the same block that fails leaves the chain its upstream', async () => {
  const { upstream, proxy, fork } = await setUp()
  await count(upstream)
  // A pending block that cannot be taken over.
  const other = await UpstreamProxy.start(async ({ method, params }) => {
    const result = await ask<Record<string, unknown>>(upstream, method, ...params)
    if (!Array.isArray(result?.transactions) || params[0] !== 'pending') return { result }
    const [transaction] = result.transactions
    return { result: { ...result, transactions: [{ ...transaction, type: '0x7e' }] } }
  })
  onTestFinished(() => other.stop())
  const before = await fork.clock.status()
  const forking = { jsonRpcUrl: other.url, blockNumber: 'pending' }
  expect((await failure(fork, 'hardhat_reset', { forking })).message).toContain('holds a deposit')
  expect((await fork.clock.status()).latest).toEqual(before.latest)
  expect((await fork.clock.status()).fork?.origin).toBe(proxy.url)
  expect(await ask(fork, 'eth_getBalance', RICH, 'latest')).toBe('0x77')
  await count(fork)
  expect(await counterOf(fork)).toBe(word(8))
})

test.each([
  ['a plain chain', false],
  ['a fork of another chain', true],
])('a reset to a sender that cannot be read leaves %s as it was', async (_, isFork) => {
  const upstream = await startUpstream()
  await ask(upstream, 'hardhat_setBalance', RICH, '0xde0b6b3a7640000')
  await ask(upstream, 'hardhat_impersonateAccount', RICH)
  await upstream.clock.seal()
  await ask(upstream, 'eth_sendTransaction', { from: RICH, to: NOBODY })
  await upstream.clock.advance({ ticks: 1 })
  const other = await UpstreamProxy.start(upstream.url)
  onTestFinished(() => other.stop())
  other.play(({ items }) =>
    items.some(({ params }) => params[0] === RICH) ? { kind: 'http', status: 401 } : undefined,
  )
  const node = await startFork(isFork ? { fork: (await startUpstream()).url } : {})
  await node.clock.advance({ blocks: 2 })
  const snapshot = await ask(node, 'evm_snapshot')
  const undone: unknown[] = []
  node.on('undo', (event) => undone.push(event))
  const before = await node.clock.status()
  const forking = { jsonRpcUrl: other.url, blockNumber: 'pending' }
  expect((await failure(node, 'hardhat_reset', { forking })).message).toContain('HTTP 401')
  const { latest, pending, time } = before
  expect(await node.clock.status()).toMatchObject({ latest, pending, time })
  expect(undone).toEqual([])
  expect(await ask(node, 'evm_revert', snapshot)).toBe(true)
})

test('a reset to the same block is prepared without the URL that hangs', async () => {
  const { upstream, proxy, fork } = await setUp()
  // Another coinbase, which must be known before the block opens.
  await ask(upstream, 'hardhat_setCoinbase', NOBODY)
  await count(upstream)
  hang(proxy)
  const forking = { jsonRpcUrl: upstream.url, blockNumber: 'pending' }
  await ask(fork, 'hardhat_reset', { forking })
  expect(await counterOf(fork)).toBe(word(8))
})
