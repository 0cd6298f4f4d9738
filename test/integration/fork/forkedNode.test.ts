import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createDevnet, type Devnet, type Hex, OptionError } from '../../../devnet/index.ts'
import { first as firstRequests, UpstreamProxy } from '../../support/upstreamProxy.ts'
import {
  ask,
  COUNTER,
  count,
  counterOf,
  failure,
  START,
  startFork,
  startUpstream,
  word,
} from './forkSupport.ts'

const NOBODY: Hex = `0x${'ee'.repeat(20)}`

test('default: stands on the newest block, and what happens there is its own', async () => {
  const upstream = await startUpstream()
  const { hash, timestamp } = (await upstream.clock.status()).latest
  const fork = await startFork({ fork: upstream.url })
  expect(fork.forks).toMatchObject([
    {
      origin: upstream.url,
      chainId: 31337,
      number: 3,
      hash,
      timestamp,
      hardfork: 'bpo2',
      hardforkFrom: 'eth_config',
    },
  ])
  expect(await ask(fork, 'eth_blockNumber')).toBe('0x3')
  const transaction = await count(fork)
  expect(await counterOf(fork)).toBe(word(8))
  expect(await counterOf(fork, 'latest')).toBe(word(7))
  expect(await ask(fork, 'eth_getTransactionReceipt', transaction)).toMatchObject({
    status: '0x1',
    blockNumber: '0x4',
    blockHash: word(0),
  })
  await fork.clock.seal()
  expect(await counterOf(fork, 'latest')).toBe(word(8))
  expect(await counterOf(fork, '0x3')).toBe(word(7))
  expect(await counterOf(upstream)).toBe(word(7))
  expect(await ask(fork, 'eth_getBlockByNumber', '0x2', false)).toEqual(
    await ask(upstream, 'eth_getBlockByNumber', '0x2', false),
  )
})

test('on a chain under Amsterdam: its hardfork, its slots, and gas of blocks that is no sum', async () => {
  const upstream = await startUpstream({ hardfork: 'amsterdam' })
  await count(upstream)
  // Creates a slot: the block counts the larger of two kinds of gas, the receipt both.
  const fresh: Hex = `0x${'c1'.repeat(20)}`
  await ask(upstream, 'hardhat_setCode', fresh, '0x60015f5500')
  const from = upstream.accounts[0]?.address
  await ask(upstream, 'eth_sendTransaction', { from, to: fresh, gas: '0x100000' })
  await upstream.clock.advance({ blocks: 1 })
  interface Block {
    readonly gasUsed: Hex
    readonly slotNumber: Hex
    readonly transactions: readonly Hex[]
  }
  const fork = await startFork({ fork: upstream.url })
  expect(fork.forks).toMatchObject([{ hardfork: 'amsterdam', hardforkFrom: 'header' }])
  const theirs = await ask<Block>(fork, 'eth_getBlockByNumber', '0x4', false)
  expect(theirs).toEqual(await ask(upstream, 'eth_getBlockByNumber', '0x4', false))
  const receipts = await ask<{ gasUsed: Hex }[]>(fork, 'eth_getBlockReceipts', '0x4')
  expect(receipts).toHaveLength(2)
  const paid = receipts.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed), 0n)
  expect(BigInt(theirs.gasUsed)).toBeLessThan(paid)
  for (const method of ['debug_traceBlockByNumber', 'ots_getBlockDetails', 'eth_feeHistory']) {
    const params = method === 'eth_feeHistory' ? ['0x2', 'latest', [50]] : ['0x4']
    expect(await ask(fork, method, ...params)).toBeDefined()
  }
  await count(fork)
  await fork.clock.seal()
  const own = await ask<Block>(fork, 'eth_getBlockByNumber', '0x5', false)
  expect(BigInt(own.slotNumber)).toBe(BigInt(theirs.slotNumber) + 1n)
  expect(await counterOf(fork)).toBe(word(9))
})

test('time goes on from the fork block, also after a reset', async () => {
  const upstream = await startUpstream()
  const { timestamp } = (await upstream.clock.status()).latest
  const fork = await startFork({ fork: upstream.url })
  expect((await fork.clock.status()).time).toBe(timestamp * 1000)
  await fork.clock.advance({ blocks: 2 })
  await ask(fork, 'hardhat_reset')
  expect(await fork.clock.status()).toMatchObject({
    time: timestamp * 1000,
    latest: { number: 3, timestamp },
  })
})

test('option: what the fork block decides, unless it is given', async () => {
  const upstream = await startUpstream({ chainId: 777, gasLimit: 25_000_000, hardfork: 'prague' })
  const plain = await startFork({ fork: upstream.url, balance: 5 })
  expect(plain.chainId).toBe(777)
  expect(plain.forks[0]?.hardfork).toBe('prague')
  expect(await ask(plain, 'eth_getBlockByNumber', 'pending', false)).toMatchObject({
    gasLimit: '0x17d7840',
  })
  expect(await ask(plain, 'eth_getBalance', plain.accounts[0]?.address, 'latest')).toBe(
    '0x4563918244f40000',
  )
  const given = await startFork({
    fork: upstream.url,
    forkBlockNumber: 2,
    chainId: 31337,
    gasLimit: 40_000_000,
    hardfork: 'cancun',
    baseFee: 7n,
    timestamp: START + 1000,
  })
  expect(given.chainId).toBe(31337)
  expect(given.forks).toMatchObject([{ number: 2, hardfork: 'cancun', hardforkFrom: 'option' }])
  expect((await given.clock.status()).time).toBe((START + 1000) * 1000)
  expect(await ask(given, 'eth_getBlockByNumber', 'pending', false)).toMatchObject({
    number: '0x3',
    baseFeePerGas: '0x7',
    gasLimit: '0x2625a00',
  })
  await given.clock.advance({ blocks: 1 })
  expect(await ask(given, 'eth_getBlockByNumber', 'latest', false)).toMatchObject({
    number: '0x3',
    baseFeePerGas: '0x7',
  })
  await ask(given, 'hardhat_reset')
  expect(await ask(given, 'eth_getBlockByNumber', 'pending', false)).toMatchObject({
    number: '0x3',
    baseFeePerGas: '0x7',
    gasLimit: '0x2625a00',
  })
})

test('option: a chain id that was not given is not the default one', async () => {
  const upstream = await startUpstream({ chainId: 777 })
  const fork = await startFork({ fork: upstream.url })
  const [sender] = fork.accounts
  const hash = await ask<Hex>(fork, 'eth_sendTransaction', { from: sender?.address, to: NOBODY })
  await fork.clock.advance({ ticks: 1 })
  expect(await ask(fork, 'eth_getTransactionByHash', hash)).toMatchObject({ chainId: '0x309' })
})

test('what other tools ask about a fork', async () => {
  const upstream = await startUpstream()
  const { hash } = (await upstream.clock.status()).latest
  const fork = await startFork({ fork: `${upstream.url}/key` })
  const forkedNetwork = { chainId: 31337, forkBlockNumber: 3, forkBlockHash: hash }
  expect(await ask(fork, 'hardhat_metadata')).toMatchObject({ forkedNetwork })
  expect(await ask(fork, 'anvil_metadata')).toMatchObject({ forkedNetwork })
  expect(await ask(upstream, 'hardhat_metadata')).not.toHaveProperty('forkedNetwork')
  expect(await ask(upstream, 'anvil_metadata')).toMatchObject({ forkedNetwork: null })
  const anvil = await startFork({ fork: upstream.url, anvil: true })
  expect(await ask(anvil, 'anvil_nodeInfo')).toMatchObject({
    forkConfig: { forkUrl: upstream.url, forkBlockNumber: 3, forkRetryBackoff: null },
  })
})

test('the status counts what was read', async () => {
  const upstream = await startUpstream()
  const proxy = await UpstreamProxy.start(upstream.url)
  const fork = await startFork({ fork: proxy.url })
  const first = (await fork.clock.status()).fork
  expect(first).toMatchObject({ origin: proxy.url, chainId: 31337, number: 3, waiting: 0 })
  expect([first?.requests, first?.items]).toEqual([proxy.requests.length, proxy.items()])
  await ask(fork, 'eth_getBalance', NOBODY, 'latest')
  const second = (await fork.clock.status()).fork
  expect(second?.requests).toBe(proxy.requests.length)
  expect(second?.misses).toBe((first?.misses ?? 0) + 1)
  await ask(fork, 'eth_getBalance', NOBODY, 'latest')
  const third = (await fork.clock.status()).fork
  expect([third?.requests, third?.misses]).toEqual([second?.requests, second?.misses])
  expect(third?.hits).toBeGreaterThan(second?.hits ?? 0)
  expect(third).toMatchObject({ failed: 0, lastFailure: null })
  proxy.play(firstRequests(1, { kind: 'http', status: 429 }))
  await ask(fork, 'eth_getBalance', COUNTER, 'latest')
  expect((await fork.clock.status()).fork).toMatchObject({ failed: 1, lastFailure: 'HTTP 429' })
  expect(await upstream.clock.status()).not.toHaveProperty('fork')
  await proxy.stop()
})

test('a second network of the process asks for nothing that the first has read', async () => {
  const upstream = await startUpstream()
  const proxy = await UpstreamProxy.start(upstream.url)
  onTestFinished(() => proxy.stop())
  const forkCache = mkdtempSync(join(tmpdir(), 'fork-'))
  onTestFinished(() => rmSync(forkCache, { recursive: true, force: true }))
  const read = (fork: Devnet) => ask(fork, 'eth_call', { to: COUNTER }, 'latest')
  const first = await startFork({ fork: proxy.url, forkCache })
  expect(await read(first)).toBe(word(8))
  proxy.reset()
  const second = await startFork({ fork: proxy.url, forkCache })
  expect(await read(second)).toBe(word(8))
  expect(proxy.requests).toHaveLength(1)
  // What one of them changes is its own.
  await ask(first, 'hardhat_setStorageAt', COUNTER, '0x0', word(41))
  expect([await read(first), await read(second)]).toEqual([word(42), word(8)])
})

test('a reset to another block, to another chain, and back to the start', async () => {
  const upstream = await startUpstream()
  const other = await startUpstream({ chainId: 5, hardfork: 'cancun' })
  await count(other)
  await other.clock.seal()
  const fork = await startFork({ fork: upstream.url })
  await count(fork)
  await fork.clock.seal()
  expect(await ask(fork, 'evm_snapshot')).toBe('0x1')

  expect(await ask(fork, 'hardhat_reset', { forking: { blockNumber: 2 } })).toBe(true)
  expect(await fork.clock.status()).toMatchObject({
    latest: { number: 2 },
    fork: { origin: upstream.url, number: 2 },
  })
  expect(await ask(fork, 'evm_revert', '0x1')).toBe(false)
  expect(await counterOf(fork)).toBe(word(7))
  await count(fork)

  const forking = { jsonRpcUrl: other.url, httpHeaders: { 'X-Key': 'a' } }
  expect(await ask(fork, 'anvil_reset', { forking })).toBe(null)
  expect(fork.forks).toMatchObject([
    { number: 3, hardfork: 'bpo2' },
    { number: 2, hardfork: 'bpo2' },
    { number: 4, chainId: 5, hardfork: 'cancun', origin: other.url },
  ])
  expect(await ask(fork, 'eth_chainId')).toBe('0x5')
  expect(await counterOf(fork, 'latest')).toBe(word(8))
  expect(await ask(fork, 'eth_getBlockByNumber', '0x1', false)).toEqual(
    await ask(other, 'eth_getBlockByNumber', '0x1', false),
  )
  const hash = await count(fork)
  expect(await ask(fork, 'eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  expect(await counterOf(fork)).toBe(word(9))

  expect(await ask(fork, 'hardhat_reset')).toBe(true)
  expect(await fork.clock.status()).toMatchObject({
    latest: { number: 3 },
    fork: { origin: upstream.url, number: 3, chainId: 31337 },
  })
  expect(await ask(fork, 'eth_chainId')).toBe('0x7a69')
  expect(await counterOf(fork)).toBe(word(7))
  await count(fork)
  expect(await counterOf(fork)).toBe(word(8))
})

test('a plain chain becomes a fork, and a plain one again', async () => {
  const upstream = await startUpstream({ chainId: 5 })
  const node = await startFork({ noForkCache: false, timestamp: START })
  const genesis = (await node.clock.status()).latest.hash
  await ask(node, 'hardhat_setBalance', NOBODY, '0x5')
  await node.clock.advance({ blocks: 2 })
  const forking = { jsonRpcUrl: upstream.url, blockNumber: '0x3' }
  await ask(node, 'hardhat_reset', { forking })
  expect(await ask(node, 'eth_blockNumber')).toBe('0x3')
  expect(await ask(node, 'eth_chainId')).toBe('0x5')
  expect(await ask(node, 'eth_getBalance', NOBODY, 'latest')).toBe('0x0')
  await count(node)
  expect(await counterOf(node)).toBe(word(8))
  await ask(node, 'hardhat_reset')
  expect(await node.clock.status()).toMatchObject({ latest: { number: 0, hash: genesis } })
  expect(await node.clock.status()).not.toHaveProperty('fork')
  expect(await ask(node, 'eth_chainId')).toBe('0x7a69')
  expect(await ask(node, 'eth_getCode', COUNTER, 'latest')).toBe('0x')
})

test('a reset to the same block asks for no value again', async () => {
  const upstream = await startUpstream()
  const proxy = await UpstreamProxy.start(upstream.url)
  const fork = await startFork({ fork: proxy.url })
  await count(fork)
  expect(await ask(fork, 'eth_getBalance', NOBODY, 'latest')).toBe('0x0')
  await ask(fork, 'hardhat_reset', { forking: { jsonRpcUrl: proxy.url } })
  proxy.reset()
  await count(fork)
  expect(await counterOf(fork)).toBe(word(8))
  expect(await ask(fork, 'eth_getBalance', NOBODY, 'latest')).toBe('0x0')
  expect(proxy.requests).toEqual([])
  await proxy.stop()
})

test('headers go to the URL that they were given for', async () => {
  const upstream = await startUpstream()
  const proxy = await UpstreamProxy.start(upstream.url)
  const second = await UpstreamProxy.start(upstream.url)
  const fork = await startFork({ fork: proxy.url, forkHeader: ['X-Key: a', 'Authorization: b, c'] })
  const sent = (one: UpstreamProxy) =>
    one.requests.map(({ headers }) => [headers['x-key'], headers.authorization])
  expect(new Set(sent(proxy).map(String))).toEqual(new Set(['a,b, c']))
  proxy.reset()
  await ask(fork, 'hardhat_reset', { forking: { jsonRpcUrl: proxy.url, blockNumber: 2 } })
  expect(sent(proxy)[0]).toEqual(['a', 'b, c'])
  await ask(fork, 'hardhat_reset', { forking: { jsonRpcUrl: second.url } })
  expect(new Set(sent(second).flat())).toEqual(new Set([undefined]))
  await proxy.stop()
  await second.stop()
})

test('anvil_setRpcUrl takes a URL with the same block only', async () => {
  const upstream = await startUpstream()
  const proxy = await UpstreamProxy.start(upstream.url)
  const other = await startUpstream({ timestamp: START + 1 })
  const fork = await startFork({ fork: upstream.url })
  const { hash } = (await fork.clock.status()).latest
  await count(fork)
  expect(await failure(fork, 'anvil_setRpcUrl', other.url)).toMatchObject({ code: -32001 })
  expect((await fork.clock.status()).fork?.origin).toBe(upstream.url)
  expect(await ask(fork, 'anvil_setRpcUrl', `${proxy.url}/key`)).toBe(null)
  expect((await fork.clock.status()).fork).toMatchObject({ origin: proxy.url, hash })
  expect(await counterOf(fork)).toBe(word(8))
  proxy.reset()
  await ask(fork, 'eth_getBalance', NOBODY, 'latest')
  await ask(fork, 'eth_getBlockByNumber', '0x1', false)
  expect(proxy.items()).toBeGreaterThan(1)
  await proxy.stop()
})

test('anvil_setRpcUrl refuses another chain with the same block', async () => {
  const upstream = await startUpstream()
  const proxy = await UpstreamProxy.start(async ({ method, params }) =>
    method === 'eth_chainId'
      ? { result: '0x5' }
      : { result: await ask(upstream, method, ...params) },
  )
  const fork = await startFork({ fork: upstream.url })
  const { hash } = (await fork.clock.status()).latest
  expect(await failure(fork, 'anvil_setRpcUrl', proxy.url)).toEqual({
    code: -32000,
    message: `${proxy.url} has block ${hash} of chain 5, and this chain stands on block ${hash} of chain 31337`,
  })
  await proxy.stop()
})

test('an upstream that has become another chain is an error that says so', async () => {
  const upstream = await startUpstream()
  const other = await startUpstream({ chainId: 5, timestamp: START + 1 })
  let target = upstream
  const proxy = await UpstreamProxy.start(({ method, params }) =>
    ask(target, method, ...params).then(
      (result) => ({ result }),
      ({ code, message }: { code: number; message: string }) => ({ error: { code, message } }),
    ),
  )
  const fork = await startFork({ fork: proxy.url })
  expect(await counterOf(fork)).toBe(word(7))
  target = other
  const { code, message } = await failure(fork, 'eth_getBalance', NOBODY, 'latest')
  expect(code).toBe(-32001)
  expect(message).toContain(
    `upstream did not give account ${NOBODY} at block 3: it is chain 5 now, and no longer 31337: set another URL with anvil_setRpcUrl, or reset (`,
  )
  // What is known stays, and no transaction is lost.
  expect(await counterOf(fork)).toBe(word(7))
  const { address: from } = fork.accounts[0] ?? {}
  expect(await failure(fork, 'eth_sendTransaction', { from, to: NOBODY })).toMatchObject({ code })
  target = upstream
  expect(await ask(fork, 'eth_getBalance', NOBODY, 'latest')).toBe('0x0')
  await proxy.stop()
})

test('a start that fails, and a stop amid a start', async () => {
  const node = createDevnet({ port: 0, fork: 'http://127.0.0.1:1/key', forkTimeout: 1 })
  const error: unknown = await node.start().catch((reason) => reason)
  expect(error).toMatchObject({ name: 'UpstreamError' })
  expect(String(error)).toContain('http://127.0.0.1:1')
  expect(String(error)).not.toContain('key')
  await node.stop()

  const upstream = await startUpstream()
  await expect(startFork({ fork: upstream.url, timestamp: START - 1 })).rejects.toThrow(OptionError)
  await expect(
    startFork({ fork: upstream.url, port: Number(new URL(upstream.url).port) }),
  ).rejects.toThrow(/taken|in use/)

  const proxy = await UpstreamProxy.start(upstream.url)
  proxy.play(() => ({ kind: 'hang' }))
  const waiting = createDevnet({ port: 0, fork: proxy.url, noForkCache: true })
  const started = waiting.start().catch((reason: unknown) => reason)
  await proxy.came(1)
  await waiting.stop()
  expect(await started).toBeInstanceOf(Error)
  await proxy.stop()
})
