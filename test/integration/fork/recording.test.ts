import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Devnet, Hex, OptionsInput } from '../../../devnet/index.ts'
import { UpstreamProxy } from '../../support/upstreamProxy.ts'
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

/** Reverts. */
const REFUSER: Hex = `0x${'fa'.repeat(20)}`

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'recording-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'fork.json')
}

/** The recording under a name that this process does not record to. */
function copyOf(file: string): string {
  const path = file.replace('.json', `-${readdirSync(join(file, '..')).length}.json`)
  copyFileSync(file, path)
  return path
}

async function startProxied() {
  const upstream = await startUpstream()
  await ask(upstream, 'hardhat_setCode', REFUSER, '0x60006000fd')
  const hash = await count(upstream)
  await upstream.clock.seal()
  await upstream.clock.advance({ blocks: 2 })
  const proxy = await UpstreamProxy.start(upstream.url)
  onTestFinished(() => proxy.stop())
  return { upstream, proxy, hash }
}

function start(options: OptionsInput) {
  return startFork({ timestamp: START + 5000, ...options })
}

/** A run of a test on the fork: state, own transactions, and older blocks. */
async function run(fork: Devnet, hash: Hex) {
  const own = await count(fork)
  const answers = await Promise.all([
    ask(fork, 'eth_getTransactionReceipt', own),
    counterOf(fork),
    ask(fork, 'eth_getBlockByNumber', '0x2', true),
    ask(fork, 'eth_getTransactionReceipt', hash),
    ask(fork, 'eth_getTransactionByHash', word(404)),
    ask(fork, 'eth_getLogs', { fromBlock: '0x0', toBlock: 'pending' }),
    ask(fork, 'eth_call', { to: COUNTER }, '0x1'),
    failure(fork, 'eth_call', { to: REFUSER }, '0x4'),
    ask(fork, 'eth_getBlockByNumber', '0x3f', true),
    failure(fork, 'foreign_method'),
    ask(fork, 'debug_traceTransaction', hash, { tracer: 'callTracer' }),
  ])
  const { latest } = await fork.clock.seal()
  return [answers, latest.hash]
}

test('default: a second run needs neither the URL nor the node', async () => {
  const { upstream, proxy, hash } = await startProxied()
  const file = newFile()
  const first = await start({ fork: proxy.url, forkRecording: file })
  const outcome = await run(first, hash)
  await first.stop()
  await proxy.stop()
  await upstream.stop()

  const path = copyOf(file)
  const alone = await start({ forkRecording: path })
  expect(alone.forks).toMatchObject([{ origin: path, number: 6, hardforkFrom: 'eth_config' }])
  expect(await run(alone, hash)).toEqual(outcome)
  expect((await alone.clock.status()).fork).toMatchObject({ origin: path, requests: 0, items: 0 })
  // The URL is not asked, which has nobody.
  const named = await start({ fork: proxy.url, forkRecording: path, forkBlockNumber: 6 })
  expect(await run(named, hash)).toEqual(outcome)
})

test('a new read fails with a sentence, and the chain goes on', async () => {
  const { proxy } = await startProxied()
  const file = newFile()
  const first = await start({ fork: proxy.url, forkRecording: file })
  await counterOf(first)
  await first.stop()
  proxy.reset()

  const path = copyOf(file)
  const played = await start({ fork: proxy.url, forkRecording: path })
  expect(await counterOf(played)).toBe(word(8))
  const how = 'delete the file, or run with PENDING_NODE_RECORD=1, to record it'
  expect(await failure(played, 'eth_getStorageAt', COUNTER, '0x1', 'latest')).toEqual({
    code: -32001,
    message: `the recording ${path} does not hold slot ${word(1)} of ${COUNTER} at block 6: ${how}`,
  })
  expect(await failure(played, 'eth_getBlockByNumber', '0x2', true)).toEqual({
    code: -32001,
    message: `the recording ${path} does not hold what eth_getBlockByNumber answers to ["0x2",true]: ${how}`,
  })
  const { latest } = await played.clock.seal()
  expect(latest.number).toBe(7)
  expect(proxy.requests).toHaveLength(0)
})

test('two runs with the same reads give equal bytes', async () => {
  const { proxy, hash } = await startProxied()
  const files = [newFile(), newFile()]
  for (const forkRecording of files) {
    const fork = await start({ fork: proxy.url, forkRecording })
    await run(fork, hash)
    await fork.stop()
  }
  const [one = '', other] = files.map((file) => readFileSync(file, 'utf8'))
  expect(other).toBe(one)
  expect(one).toContain('\n["answer","eth_getTransactionReceipt')
  expect(one).not.toContain('127.0.0.1')
})

test('what is pre-confirmed upstream is recorded', async () => {
  const { upstream, proxy } = await startProxied()
  const hash = await count(upstream)
  const file = newFile()
  const options = { forkBlockNumber: 'pending', forkRecording: file } as const
  const first = await start({ fork: proxy.url, ...options })
  const receipt = await ask(first, 'eth_getTransactionReceipt', hash)
  await first.stop()
  await proxy.stop()
  const played = await start({ ...options, forkRecording: copyOf(file) })
  expect(played.forks).toMatchObject([{ number: 6, preconfirmed: 1 }])
  expect(await ask(played, 'eth_getTransactionReceipt', hash)).toEqual(receipt)
})

test('resets stay on the block of the file', async () => {
  const { upstream, proxy } = await startProxied()
  const file = newFile()
  const first = await start({ fork: proxy.url, forkRecording: file })
  expect(
    (await failure(first, 'hardhat_reset', { forking: { blockNumber: 2 } })).message,
  ).toContain('not of block 2: name another file, or delete it.')
  await upstream.clock.advance({ blocks: 1 })
  const later = await start({ fork: proxy.url, forkRecording: file })
  expect(later.forks).toMatchObject([{ number: 6 }])
  await Promise.all([first.stop(), later.stop()])
  const played = await start({ forkRecording: copyOf(file) })
  await ask(played, 'hardhat_reset', { forking: { blockNumber: 6 } })
  await ask(played, 'hardhat_reset')
  expect((await played.clock.status()).fork).toMatchObject({ number: 6, requests: 0 })
})
