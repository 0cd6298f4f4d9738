import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createDevnet, type Devnet, type Hex } from '../../../devnet/index.ts'
import { opStackProfiles } from '../../../devnet/options/profileTable.ts'
import { type Answerer, UpstreamProxy } from '../../support/upstreamProxy.ts'
import {
  ask,
  COUNTER,
  count,
  counterOf,
  START,
  startFork,
  startUpstream,
  word,
} from './forkSupport.ts'

/** Counts in slot 0, logs the count, and keeps what it sees of the block in slots 1 to 5. */
const SEEING_CODE =
  '60005460010180600055600052602060' + '00a0446001554260025541600355456004554860055500'
const LENGTH = (SEEING_CODE.length / 2).toString(16)
const CREATION: Hex = `0x60${LENGTH}600c60003960${LENGTH}6000f3${SEEING_CODE}`

const STRANGER: Hex = `0x${'5a'.repeat(20)}`
const COINBASE: Hex = `0x${'cb'.repeat(20)}`

async function preconfirm(devnet: Devnet, transaction: object): Promise<Hex> {
  const from = devnet.accounts[0]?.address
  const hash = await ask<Hex>(devnet, 'eth_sendTransaction', { from, ...transaction })
  await devnet.clock.advance({ ticks: 1 })
  return hash
}

/** An upstream whose pending block has a creation, calls, each transaction type and a stranger. */
async function startPreconfirming() {
  const upstream = await startUpstream({ coinbase: COINBASE, gasLimit: 50_000_000 })
  await ask(upstream, 'hardhat_setBalance', STRANGER, '0xde0b6b3a7640000')
  await ask(upstream, 'hardhat_impersonateAccount', STRANGER)
  await upstream.clock.seal()
  await ask(upstream, 'evm_setNextBlockTimestamp', START + 5000)
  await ask(upstream, 'hardhat_setPrevRandao', word(99))
  await ask(upstream, 'hardhat_setNextBlockBaseFeePerGas', '0x77777777')
  const created = await preconfirm(upstream, { data: CREATION })
  const { contractAddress: contract } = await ask<{ contractAddress: Hex }>(
    upstream,
    'eth_getTransactionReceipt',
    created,
  )
  const hashes = [
    created,
    await preconfirm(upstream, { to: contract }),
    await preconfirm(upstream, { to: contract, gasPrice: '0x99999999' }),
    await preconfirm(upstream, { to: COUNTER, accessList: [] }),
    await preconfirm(upstream, { from: STRANGER, to: contract, value: '0x0' }),
  ]
  return { upstream, contract, hashes }
}

/** What both nodes must agree on while nothing is sealed. */
async function pictureOf(devnet: Devnet, contract: Hex, hashes: readonly Hex[]) {
  const slots = [0, 1, 2, 3, 4, 5].map((slot) =>
    ask(devnet, 'eth_getStorageAt', contract, word(slot), 'pending'),
  )
  const receipts = hashes.map((hash) => ask(devnet, 'eth_getTransactionReceipt', hash))
  return await Promise.all([
    ask(devnet, 'eth_getBlockByNumber', 'pending', true),
    ask(devnet, 'eth_getBlockByNumber', 'latest', false),
    counterOf(devnet),
    ...[STRANGER, COINBASE, contract].map((address) =>
      ask(devnet, 'eth_getBalance', address, 'pending'),
    ),
    ask(devnet, 'eth_getTransactionCount', STRANGER, 'pending'),
    ask(devnet, 'eth_call', { to: contract }, 'pending'),
    ...slots,
    ...receipts,
  ])
}

function transactionsOf(devnet: Devnet, block: string) {
  return ask<{ transactions: Hex[] }>(devnet, 'eth_getBlockByNumber', block, false)
}

function spyOnWarnings() {
  const warnings = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => warnings.mockRestore())
  return warnings
}

/** A proxy of a node that changes what it answers for its pending block and for raw bytes. */
async function startChanging(
  upstream: Devnet,
  change: (method: string, result: Record<string, unknown>) => unknown,
): Promise<UpstreamProxy> {
  const answer: Answerer = async ({ method, params }) => {
    const result = await ask<Record<string, unknown>>(upstream, method, ...params)
    const isPending = method === 'eth_getBlockByNumber' && params[0] === 'pending'
    if (!isPending && method !== 'eth_getRawTransactionByHash') return { result }
    return { result: change(method, result) }
  }
  const proxy = await UpstreamProxy.start(answer)
  onTestFinished(() => proxy.stop())
  return proxy
}

function startPending(url: string, options: object = {}) {
  return startFork({ fork: url, forkBlockNumber: 'pending', ...options })
}

test('default: takes over a pending block, and seals it as it is', async () => {
  const warnings = spyOnWarnings()
  const { upstream, contract, hashes } = await startPreconfirming()
  const proxy = await UpstreamProxy.start(upstream.url)
  onTestFinished(() => proxy.stop())
  const fork = await startPending(proxy.url)
  expect(proxy.requests[0]?.items.map(({ params }) => params)).toEqual([
    ['latest', false],
    ['pending', true],
  ])
  const asked = proxy.requests.filter(({ items }) =>
    items.some(({ method }) => method === 'eth_getTransactionReceipt'),
  )
  // With the question which blocks are final.
  expect(asked.map(({ items }) => items.length)).toEqual([hashes.length + 1])
  expect(proxy.items('eth_getRawTransactionByHash')).toBe(0)

  expect(fork.forks).toMatchObject([{ number: 4, preconfirmed: 5 }])
  expect(await pictureOf(fork, contract, hashes)).toEqual(
    await pictureOf(upstream, contract, hashes),
  )
  expect(warnings).not.toHaveBeenCalled()
  expect(await ask(fork, 'eth_getStorageAt', contract, '0x1', 'pending')).toBe(word(99))
  expect(await ask(fork, 'eth_getStorageAt', contract, '0x2', 'pending')).toBe(word(START + 5000))

  const sealed = await fork.clock.seal()
  expect(sealed.fork?.number).toBe(4)
  const { transactions } = await transactionsOf(fork, '0x5')
  expect(transactions).toEqual(hashes)
  expect(await ask(fork, 'eth_getBlockByNumber', '0x5', false)).toMatchObject({
    timestamp: `0x${(START + 5000).toString(16)}`,
    baseFeePerGas: '0x77777777',
    mixHash: word(99),
    miner: COINBASE,
    gasLimit: '0x2faf080',
  })
  // A chain of its own from here on.
  await count(fork)
  expect(await counterOf(fork)).toBe(word(9))
  expect(await counterOf(upstream)).toBe(word(8))
  await upstream.clock.seal()
  expect(await counterOf(fork)).toBe(word(9))
})

test('what the transactions read is fetched side by side', async () => {
  const upstream = await startUpstream()
  const code = await ask<Hex>(upstream, 'eth_getCode', COUNTER, 'latest')
  const contracts = Array.from({ length: 20 }, (_, at): Hex => `0x${'c1'.repeat(19)}${10 + at}`)
  for (const contract of contracts) await ask(upstream, 'hardhat_setCode', contract, code)
  await upstream.clock.seal()
  for (const to of contracts) await preconfirm(upstream, { to })
  const proxy = await UpstreamProxy.start(upstream.url)
  onTestFinished(() => proxy.stop())
  const fork = await startPending(proxy.url)
  expect(fork.forks).toMatchObject([{ preconfirmed: 20 }])
  for (const contract of contracts) {
    expect(await ask(fork, 'eth_getStorageAt', contract, '0x0', 'pending')).toBe(word(1))
  }
  // Newest blocks, fork block, system contracts, receipts, senders; then accounts and slots.
  expect(proxy.requests.length).toBeLessThanOrEqual(8)
})

test('options that are given come before what the pending block has', async () => {
  spyOnWarnings()
  const { upstream } = await startPreconfirming()
  const coinbase: Hex = `0x${'dd'.repeat(20)}`
  const fork = await startPending(upstream.url, { coinbase, gasLimit: 40_000_000, baseFee: 7n })
  expect(await ask(fork, 'eth_getBlockByNumber', 'pending', false)).toMatchObject({
    miner: coinbase,
    gasLimit: '0x2625a00',
    baseFeePerGas: '0x7',
    timestamp: `0x${(START + 5000).toString(16)}`,
  })
})

test('a state file holds what was taken over', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forked-pending-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const state = join(folder, 'state.json')
  const { upstream, contract, hashes } = await startPreconfirming()
  const first = await startPending(upstream.url, { state })
  const before = await pictureOf(first, contract, hashes)
  await first.stop()
  await upstream.clock.seal()

  // The same options again: what is pending there now is another block's.
  const again = await startPending(upstream.url, { state })
  expect(again.forks).toMatchObject([{ number: 4, preconfirmed: null }])
  expect(await pictureOf(again, contract, hashes)).toEqual(before)
  await again.stop()
  await upstream.stop()

  const alone = await startFork({ state, noForkCache: false })
  expect(await pictureOf(alone, contract, hashes)).toEqual(before)
  await alone.clock.seal()
  expect((await transactionsOf(alone, '0x5')).transactions).toEqual(hashes)
})

/** Seals before each of the first `seals` answers about the pending block, behind `latest`. */
async function startSealing(upstream: Devnet, seals: number): Promise<UpstreamProxy> {
  let left = seals
  let latest = Promise.withResolvers<void>()
  const proxy = await UpstreamProxy.start(async ({ method, params }) => {
    const isPending = method === 'eth_getBlockByNumber' && params[0] === 'pending'
    if (isPending) {
      await latest.promise
      latest = Promise.withResolvers()
      if (left-- > 0) {
        await upstream.clock.seal()
        await count(upstream)
      }
    }
    const result = await ask<object>(upstream, method, ...params)
    if (method === 'eth_getBlockByNumber' && params[0] === 'latest') latest.resolve()
    return { result }
  })
  onTestFinished(() => proxy.stop())
  return proxy
}

test('a seal between the two answers', async () => {
  const warnings = spyOnWarnings()
  const upstream = await startUpstream()
  await count(upstream)
  const proxy = await startSealing(upstream, 1)
  const fork = await startPending(proxy.url)
  expect(fork.forks).toMatchObject([{ number: 4, preconfirmed: 1 }])
  expect(await counterOf(fork)).toBe(word(9))
  expect((await transactionsOf(fork, 'pending')).transactions).toEqual(
    (await transactionsOf(upstream, 'pending')).transactions,
  )
  expect(warnings).not.toHaveBeenCalled()
})

test('a seal between the answers each time', async () => {
  const warnings = spyOnWarnings()
  const upstream = await startUpstream()
  const proxy = await startSealing(upstream, 9)
  const fork = await startPending(proxy.url)
  expect(fork.forks).toMatchObject([{ number: 5, preconfirmed: 0 }])
  expect((await transactionsOf(fork, 'pending')).transactions).toEqual([])
  expect(warnings.mock.calls).toEqual([
    [
      `hardhat-pending-node: the pending block of ${proxy.url}, 7, does not stand on its newest one, 5: it is left out`,
    ],
  ])
})

test('an upstream without a pending block', async () => {
  const upstream = await startUpstream()
  const latest = await ask<object>(upstream, 'eth_getBlockByNumber', 'latest', true)
  for (const shown of [null, latest]) {
    const proxy = await startChanging(upstream, () => shown)
    const fork = await startPending(proxy.url)
    expect(fork.forks).toMatchObject([{ number: 3, preconfirmed: 0 }])
    await count(fork)
    expect(await counterOf(fork)).toBe(word(8))
    await fork.stop()
  }
  const proxy = await UpstreamProxy.start(async ({ method, params }) =>
    params[0] === 'pending'
      ? { error: { code: -32602, message: 'unknown block' } }
      : { result: await ask(upstream, method, ...params) },
  )
  onTestFinished(() => proxy.stop())
  expect((await startPending(proxy.url)).forks).toMatchObject([{ number: 3, preconfirmed: 0 }])
})

test('names what has another outcome here', async () => {
  const warnings = spyOnWarnings()
  const upstream = await startUpstream()
  await count(upstream)
  // A change behind a pre-confirmed transaction is none of the block's transactions.
  await ask(upstream, 'hardhat_setStorageAt', COUNTER, '0x0', word(0))
  const hash = await count(upstream)
  const there = await ask<{ gasUsed: Hex }>(upstream, 'eth_getTransactionReceipt', hash)
  const fork = await startPending(upstream.url)
  const here = await ask<{ gasUsed: Hex }>(fork, 'eth_getTransactionReceipt', hash)
  expect(here.gasUsed).not.toBe(there.gasUsed)
  expect(warnings.mock.calls).toEqual([
    [
      `hardhat-pending-node: transaction ${hash} has another outcome than at ${upstream.url}: gasUsed ${here.gasUsed}, not ${there.gasUsed}`,
    ],
  ])
  expect(await counterOf(fork)).toBe(word(9))
})

test('an upstream that gives no receipts, or not all', async () => {
  const warnings = spyOnWarnings()
  const upstream = await startUpstream()
  const first = await count(upstream)
  await count(upstream)
  const proxyWithout = async (isLeftOut: (hash: unknown) => boolean) => {
    const proxy = await UpstreamProxy.start(async ({ method, params }) => {
      if (method === 'eth_getTransactionReceipt' && isLeftOut(params[0])) return { result: null }
      return { result: await ask(upstream, method, ...params) }
    })
    onTestFinished(() => proxy.stop())
    return proxy
  }
  const none = await proxyWithout(() => true)
  expect(await counterOf(await startPending(none.url))).toBe(word(9))
  const some = await proxyWithout((hash) => hash === first)
  expect(await counterOf(await startPending(some.url))).toBe(word(9))
  expect(warnings.mock.calls).toEqual([
    [`hardhat-pending-node: ${none.url} gave no receipts to hold those of this node against`],
    [`hardhat-pending-node: ${some.url} gave no receipt of transaction ${first}`],
  ])
})

test('deposits and L1 fees of another OP Stack chain', async () => {
  const warnings = spyOnWarnings()
  const upstream = await startUpstream({ profile: 'base-flashblocks' })
  await upstream.clock.seal()
  const from: Hex = `0x${'1f'.repeat(20)}`
  const [to] = upstream.accounts.map(({ address }) => address)
  const deposit = (fields: object) => ask<Hex>(upstream, 'preconf_deposit', { from, ...fields })
  const hashes = [
    await deposit({ to, mint: '0x9', value: '0x4' }),
    await deposit({ data: CREATION }),
    await deposit({ to, value: '0x99' }),
    await preconfirm(upstream, { to: from, value: '0x1' }),
  ]
  const fork = await startPending(upstream.url, { profile: 'base-flashblocks' })
  const receipts = (devnet: Devnet) =>
    Promise.all(hashes.map((hash) => ask<object>(devnet, 'eth_getTransactionReceipt', hash)))
  expect(await receipts(fork)).toEqual(await receipts(upstream))
  expect(await receipts(fork)).toMatchObject([
    { type: '0x7e', status: '0x1', transactionIndex: '0x1', depositNonce: '0x0' },
    { type: '0x7e', status: '0x1', depositNonce: '0x1' },
    { type: '0x7e', status: '0x0', depositNonce: '0x2' },
    { type: '0x2', status: '0x1', l1Fee: expect.stringMatching(/^0x[1-9a-f]/) },
  ])
  expect(await transactionsOf(fork, 'pending')).toEqual(await transactionsOf(upstream, 'pending'))
  // Its own blocks go on with what is known of L1.
  await fork.clock.seal()
  const sealed = await ask<Hex>(fork, 'preconf_deposit', { from, to, mint: '0x1' })
  await fork.clock.advance({ ticks: 1 })
  expect(await ask(fork, 'eth_getTransactionReceipt', sealed)).toMatchObject({
    transactionIndex: '0x1',
    status: '0x1',
  })
  expect(warnings.mock.calls).toEqual([])
})

/** The first of the pending transactions with other fields. */
function changed(result: Record<string, unknown>, fields: object) {
  const [first, ...rest] = result.transactions as object[]
  return { ...result, transactions: [{ ...first, ...fields }, ...rest] }
}

test('transactions that cannot be read', async () => {
  const upstream = await startUpstream()
  const hash = await count(upstream)
  const isBlock = (method: string) => method === 'eth_getBlockByNumber'

  const deposits = await startChanging(upstream, (_, block) => changed(block, { type: '0x7e' }))
  await expect(startPending(deposits.url)).rejects.toThrow(
    `The pending block of ${deposits.url} holds a deposit (type 0x7e): start with --profile ${opStackProfiles()} to execute it, or leave forkBlockNumber out to stand on its newest block.`,
  )
  const unknown = await startChanging(upstream, (_, block) => changed(block, { type: '0x64' }))
  await expect(startPending(unknown.url)).rejects.toThrow(
    `${unknown.url}: pre-confirmed transaction ${hash}: type is 0x64, which is not a transaction type of Ethereum.`,
  )
  const other = { value: '0x1' }
  const wrong = await startChanging(upstream, (method, result) =>
    isBlock(method) ? changed(result, other) : null,
  )
  await expect(startPending(wrong.url)).rejects.toThrow(
    `${wrong.url} shows a pre-confirmed transaction whose fields do not give its hash, ${hash}: it cannot be executed here.`,
  )
  const raw = await startChanging(upstream, (method, result) =>
    isBlock(method) ? changed(result, other) : result,
  )
  const fork = await startPending(raw.url)
  expect(await ask(fork, 'eth_getTransactionByHash', hash)).toMatchObject({ value: '0x0' })
  expect(await counterOf(fork)).toBe(word(8))
})

test.each([
  ['receipts', 'eth_getTransactionReceipt'],
  ['reads of an execution', COUNTER],
])('stops amid a start that waits for %s', async (_, what) => {
  const upstream = await startUpstream()
  await count(upstream)
  const proxy = await UpstreamProxy.start(upstream.url)
  onTestFinished(() => proxy.stop())
  const waiting = Promise.withResolvers<void>()
  proxy.play(({ items }) => {
    if (!items.some(({ method, params }) => method === what || params[0] === what)) return undefined
    waiting.resolve()
    return { kind: 'hang' }
  })
  const devnet = createDevnet({
    port: 0,
    noWallet: true,
    fork: proxy.url,
    forkBlockNumber: 'pending',
    noForkCache: true,
  })
  const started = expect(devnet.start()).rejects.toThrow('The node was stopped')
  await waiting.promise
  await devnet.stop()
  await started
})

test('hardhat_reset goes back to the fork block without the transactions', async () => {
  const upstream = await startUpstream()
  await count(upstream)
  const fork = await startPending(upstream.url)
  expect(await counterOf(fork)).toBe(word(8))
  await ask(fork, 'hardhat_reset')
  expect(await counterOf(fork)).toBe(word(7))
  expect((await transactionsOf(fork, 'pending')).transactions).toEqual([])
})

test.each([
  ['a plain chain', false],
  ['a fork of another chain', true],
])('%s is reset to a pending block, and takes it over', async (_, isFork) => {
  const warnings = spyOnWarnings()
  const { upstream, contract, hashes } = await startPreconfirming()
  const other = await startUpstream({ chainId: 5, hardfork: 'cancun' })
  const fork = await startFork(isFork ? { fork: other.url } : {})
  const home = (await fork.clock.status()).latest
  const forking = { jsonRpcUrl: upstream.url, blockNumber: 'pending' }
  expect(await ask(fork, 'hardhat_reset', { forking })).toBe(true)
  expect(await pictureOf(fork, contract, hashes)).toEqual(
    await pictureOf(upstream, contract, hashes),
  )
  expect(fork.forks.at(-1)).toMatchObject({ number: 4, preconfirmed: hashes.length })
  expect(warnings.mock.calls).toEqual([])
  await fork.clock.seal()
  expect((await transactionsOf(fork, 'latest')).transactions).toEqual(hashes)
  await ask(fork, 'hardhat_reset')
  expect((await fork.clock.status()).latest).toEqual(home)
})

test('a reset to a pending block that is empty stands on the newest one', async () => {
  const upstream = await startUpstream()
  const fork = await startFork({ fork: upstream.url, forkBlockNumber: 2 })
  const forking = { jsonRpcUrl: upstream.url, blockNumber: 'pending' }
  await ask(fork, 'hardhat_reset', { forking })
  expect((await fork.clock.status()).latest.number).toBe(3)
  expect(fork.forks.at(-1)).toMatchObject({ number: 3, preconfirmed: 0 })
})
