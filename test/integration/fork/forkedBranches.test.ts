import { expect, onTestFinished, test } from 'vitest'
import { UpstreamProxy } from '../../support/upstreamProxy.ts'
import { ask, count, counterOf, START, startFork, startUpstream, word } from './forkSupport.ts'

test('a branch of a forked chain reads the same upstream, and what either knows is known', async () => {
  const upstream = await startUpstream()
  const fork = await startFork({ fork: upstream.url, frozen: true, frozenTicks: true })
  expect(await counterOf(fork)).toBe(word(7))
  const { requests } = (await fork.clock.status()).fork ?? { requests: 0 }
  await using branch = await fork.branch()
  expect(await counterOf(branch)).toBe(word(7))
  expect((await branch.clock.status()).fork?.requests).toBe(requests)
  await count(branch)
  await branch.clock.advance({ blocks: 1 })
  expect(await counterOf(branch)).toBe(word(8))
  expect(await counterOf(fork)).toBe(word(7))
  // From the upstream, by the branch first.
  const older = await ask(branch, 'eth_getBlockByNumber', '0x2', true)
  expect(older).toEqual(await ask(upstream, 'eth_getBlockByNumber', '0x2', true))
  const nobody = `0x${'ab'.repeat(20)}`
  await ask(upstream, 'eth_getBalance', nobody, 'latest')
  expect(await ask(branch, 'eth_getBalance', nobody, 'latest')).toBe('0x0')
  const known = (await fork.clock.status()).fork?.requests
  expect(await ask(fork, 'eth_getBalance', nobody, 'latest')).toBe('0x0')
  expect((await fork.clock.status()).fork?.requests).toBe(known)
})

test('it goes on reading when the parent has gone to another block, and after it has stopped no more', async () => {
  const upstream = await startUpstream()
  const other = await startUpstream({ timestamp: START + 1000 })
  const fork = await startFork({ fork: upstream.url, frozen: true, frozenTicks: true })
  const branch = await fork.branch()
  await ask(fork, 'hardhat_reset', { forking: { jsonRpcUrl: other.url } })
  expect(await counterOf(branch)).toBe(word(7))
  const hash = await count(branch)
  await branch.clock.advance({ blocks: 1 })
  expect(await ask(branch, 'eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  expect(await ask(branch, 'eth_getBlockByNumber', '0x1', false)).toEqual(
    await ask(upstream, 'eth_getBlockByNumber', '0x1', false),
  )
  await branch.stop()
  expect(await counterOf(fork)).toBe(word(7))
})

test('a branch may stand on another block than its parent', async () => {
  const upstream = await startUpstream()
  const fork = await startFork({ fork: upstream.url, frozen: true, frozenTicks: true })
  const branch = await fork.branch()
  await ask(branch, 'hardhat_reset', { forking: { jsonRpcUrl: upstream.url, blockNumber: 1 } })
  expect(await ask(branch, 'eth_blockNumber')).toBe('0x1')
  expect(await ask(fork, 'eth_blockNumber')).toBe('0x3')
  await branch.stop()
  expect(await counterOf(fork)).toBe(word(7))
  await expect(ask(await fork.branch(), 'anvil_setRpcUrl', upstream.url)).rejects.toThrow(
    'a branch reads where its parent does: set the URL there',
  )
})

test('stops at once while it waits for an upstream that hangs', async () => {
  const upstream = await startUpstream()
  const proxy = await UpstreamProxy.start(upstream.url)
  onTestFinished(() => proxy.stop())
  const fork = await startFork({ fork: proxy.url, frozen: true, frozenTicks: true })
  const branch = await fork.branch()
  const free = proxy.hold()
  onTestFinished(free)
  const read = ask(branch, 'eth_getBalance', `0x${'cd'.repeat(20)}`, 'latest')
  const ended = expect(read).rejects.toThrow()
  await branch.stop()
  await fork.stop()
  await ended
})
