import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import {
  type PrecompileJob,
  PrecompileThread,
  PrecompileThreadError,
} from '../../../../devnet/engine/workers/precompileThread.ts'

const job = (gasLimit: bigint): PrecompileJob => ({
  chainId: 1,
  hardfork: 'bpo2',
  address: '',
  data: new Uint8Array(),
  gasLimit,
})

const signal = () => new AbortController().signal

/** Answers its gas; dies of 13, and never answers 0. */
const SCRIPT = `
const { parentPort } = require('node:worker_threads')
parentPort.on('message', ({ gasLimit }) => {
  if (gasLimit === 13n) throw new Error('unlucky')
  if (gasLimit === 0n) for (;;);
  parentPort.postMessage({ returnValue: new Uint8Array(), executionGasUsed: gasLimit, error: undefined })
})`

function createThread() {
  const workers: Worker[] = []
  const thread = new PrecompileThread(() => {
    const worker = new Worker(SCRIPT, { eval: true })
    workers.push(worker)
    return worker
  })
  return { thread, workers }
}

test('default: one after the other, on one thread', async () => {
  const { thread, workers } = createThread()
  const results = await Promise.all([1n, 2n, 3n].map((gas) => thread.run(job(gas), signal())))
  expect(results.map(({ executionGasUsed }) => executionGasUsed)).toEqual([1n, 2n, 3n])
  expect((await thread.run(job(4n), signal())).executionGasUsed).toBe(4n)
  expect(workers).toHaveLength(1)
})

test('behavior: what is withdrawn while it runs ends with the thread; what waits goes on', async () => {
  const { thread, workers } = createThread()
  const stop = new AbortController()
  void thread.run(job(0n), stop.signal)
  const next = thread.run(job(2n), signal())
  const [first] = workers
  if (first === undefined) throw new Error('There is a worker')
  await once(first, 'online')
  stop.abort()
  await once(first, 'exit')
  expect((await next).executionGasUsed).toBe(2n)
  expect(workers).toHaveLength(2)
})

test('behavior: what is withdrawn while it waits, or before, never runs', async () => {
  const { thread, workers } = createThread()
  const stop = new AbortController()
  const first = thread.run(job(1n), signal())
  void thread.run(job(0n), stop.signal)
  stop.abort()
  void thread.run(job(0n), stop.signal)
  await first
  expect((await thread.run(job(2n), signal())).executionGasUsed).toBe(2n)
  expect(workers).toHaveLength(1)
})

test('behavior: a thread that dies is said, and the next one starts', async () => {
  const { thread, workers } = createThread()
  const [dead, alive] = await Promise.allSettled([
    thread.run(job(13n), signal()),
    thread.run(job(2n), signal()),
  ])
  expect(dead).toMatchObject({ reason: expect.any(PrecompileThreadError) })
  expect(dead).toMatchObject({ reason: { cause: { message: 'unlucky' } } })
  expect(alive).toMatchObject({ value: { executionGasUsed: 2n } })
  expect(workers).toHaveLength(2)
})

test('behavior: a thread that cannot start', async () => {
  const thread = new PrecompileThread(() => {
    throw new Error('no threads here')
  })
  await expect(thread.run(job(1n), signal())).rejects.toThrow(PrecompileThreadError)
  await turn()
  await expect(thread.run(job(1n), signal())).rejects.toThrow(PrecompileThreadError)
})
