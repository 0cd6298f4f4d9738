import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import {
  ThreadEndedError,
  type ThreadListener,
  ThreadPool,
} from '../../../../devnet/engine/workers/threadPool.ts'

const signal = () => new AbortController().signal

/**
 * Answers its number; dies of 13, and of -13 before it is ready. Never answers 0, of which it makes
 * a note. Asks what 7 times a number is before it answers 100 and more.
 */
const SCRIPT = `
const { parentPort, receiveMessageOnPort, workerData } = require('node:worker_threads')
const bell = new Int32Array(workerData)
const post = (message) => parentPort.postMessage(message)
parentPort.on('message', (number) => {
  if (number === 13) throw new Error('unlucky')
  if (number === 0) {
    post({ kind: 'note', note: 'begun' })
    for (;;);
  }
  if (number < 100) return post({ kind: 'done', result: number })
  Atomics.store(bell, 0, 0)
  post({ kind: 'question', question: number })
  Atomics.wait(bell, 0, 0)
  post({ kind: 'done', result: receiveMessageOnPort(parentPort).message })
})
post({ kind: 'ready' })`

function createPool(size = 1, script = SCRIPT) {
  const workers: Worker[] = []
  const pool = new ThreadPool<number, number, number, string>((bell) => {
    const worker = new Worker(script, { eval: true, workerData: bell })
    workers.push(worker)
    return worker
  }, size)
  onTestFinished(() => pool.close())
  return { pool, workers }
}

const listener = (answer: (question: number) => unknown): ThreadListener<number, string> => ({
  answer,
  note: () => undefined,
})

/** Begins a job that never ends, and resolves once it runs. */
function begin(pool: ThreadPool<number, number, number, string>, abort: AbortSignal) {
  return new Promise<string>((note) => {
    void pool.run(0, abort, { answer: () => undefined, note })
  })
}

test('default: one after the other, on one thread', async () => {
  const { pool, workers } = createPool()
  const results = await Promise.all([1, 2, 3].map((number) => pool.run(number, signal())))
  expect(results).toEqual([1, 2, 3])
  expect(await pool.run(4, signal())).toBe(4)
  expect(workers).toHaveLength(1)
})

test('what is withdrawn while it runs ends with the thread; what waits goes on', async () => {
  const { pool, workers } = createPool()
  const stop = new AbortController()
  const begun = begin(pool, stop.signal)
  const next = pool.run(2, signal())
  expect(await begun).toBe('begun')
  const [first] = workers
  if (first === undefined) throw new Error('There is a worker')
  const exit = once(first, 'exit')
  stop.abort()
  await exit
  expect(await next).toBe(2)
  expect(workers).toHaveLength(2)
})

test('what is withdrawn while it waits, or before, never runs', async () => {
  const { pool, workers } = createPool()
  const stop = new AbortController()
  const first = pool.run(1, signal())
  void pool.run(0, stop.signal)
  stop.abort()
  void pool.run(0, stop.signal)
  await first
  expect(await pool.run(2, signal())).toBe(2)
  expect(workers).toHaveLength(1)
})

test('a thread that dies is said, and the next one starts', async () => {
  const { pool, workers } = createPool()
  const [dead, alive] = await Promise.allSettled([pool.run(13, signal()), pool.run(2, signal())])
  expect(dead).toMatchObject({ reason: expect.any(ThreadEndedError) })
  expect(dead).toMatchObject({ reason: { cause: { message: 'unlucky' } } })
  expect(alive).toMatchObject({ value: 2 })
  expect(workers).toHaveLength(2)
})

test('a thread that cannot start', async () => {
  const pool = new ThreadPool<number, number>(() => {
    throw new Error('no threads here')
  })
  await expect(pool.run(1, signal())).rejects.toThrow(ThreadEndedError)
  await turn()
  await expect(pool.run(1, signal())).rejects.toThrow(ThreadEndedError)
  await expect(pool.prepare()).rejects.toThrow(ThreadEndedError)
})

test('a thread that dies before it is ready fails what waits', async () => {
  const { pool, workers } = createPool(1, "throw new Error('broken')")
  const results = await Promise.allSettled([pool.run(1, signal()), pool.run(2, signal())])
  for (const result of results) {
    expect(result).toMatchObject({ reason: { cause: { message: 'broken' } } })
  }
  expect(workers).toHaveLength(1)
  expect(pool.isReady).toBe(false)
  await expect(pool.prepare()).rejects.toMatchObject({ cause: { message: 'broken' } })
})

test('a thread that is prepared takes the first job', async () => {
  const { pool, workers } = createPool()
  expect(pool.isReady).toBe(false)
  await pool.prepare()
  expect(pool.isReady).toBe(true)
  await pool.prepare()
  expect(await pool.run(1, signal())).toBe(1)
  expect(workers).toHaveLength(1)
})

test('args: size is the number of jobs at a time', async () => {
  const { pool, workers } = createPool(2)
  const stop = new AbortController()
  await Promise.all([begin(pool, stop.signal), begin(pool, stop.signal)])
  const third = pool.run(3, signal())
  expect(workers).toHaveLength(2)
  stop.abort()
  expect(await third).toBe(3)
})

test('questions are answered at once or later, and may fail the job', async () => {
  const { pool, workers } = createPool()
  expect(
    await pool.run(
      100,
      signal(),
      listener((number) => 7 * number),
    ),
  ).toBe(700)
  const late = Promise.withResolvers<number>()
  const asked = Promise.withResolvers<void>()
  const waits = listener(() => {
    asked.resolve()
    return late.promise
  })
  const result = pool.run(101, signal(), waits)
  await asked.promise
  late.resolve(7)
  expect(await result).toBe(7)
  expect(workers).toHaveLength(1)
  const fails = listener(() => {
    throw new Error('not known')
  })
  await expect(pool.run(102, signal(), fails)).rejects.toThrow('not known')
  const rejects = listener(() => Promise.reject(new Error('not known either')))
  await expect(pool.run(103, signal(), rejects)).rejects.toThrow('not known either')
  expect(await pool.run(5, signal())).toBe(5)
})

test('a thread that waits for an answer can be ended', async () => {
  const { pool, workers } = createPool()
  const stop = new AbortController()
  const asked = Promise.withResolvers<void>()
  const never = listener(() => {
    asked.resolve()
    return new Promise(() => undefined)
  })
  void pool.run(100, stop.signal, never)
  await asked.promise
  const [first] = workers
  if (first === undefined) throw new Error('There is a worker')
  const exit = once(first, 'exit')
  stop.abort()
  await exit
  expect(await pool.run(1, signal())).toBe(1)
})

test('close ends all threads; what runs and what waits fails', async () => {
  const { pool, workers } = createPool()
  const begun = Promise.withResolvers<string>()
  const running = pool.run(0, signal(), { answer: () => undefined, note: begun.resolve })
  const [worker] = workers
  if (worker === undefined) throw new Error('There is a worker')
  const exit = once(worker, 'exit')
  await begun.promise
  const results = Promise.allSettled([running, pool.run(1, signal())])
  await pool.close()
  for (const { status } of await results) expect(status).toBe('rejected')
  await exit
  expect(pool.isReady).toBe(false)
})
