import type { Worker } from 'node:worker_threads'
import type { EVMError } from '@ethereumjs/evm'
import { startWorker } from './startWorker.ts'

/** One run of a precompile. */
export interface PrecompileJob {
  readonly chainId: number
  /** As the library spells it, e.g. `bpo2`. */
  readonly hardfork: string
  /** 40 hexadecimal digits without 0x. */
  readonly address: string
  readonly data: Uint8Array
  readonly gasLimit: bigint
}

/** Result of one run of a precompile. */
export interface PrecompileResult {
  readonly returnValue: Uint8Array
  readonly executionGasUsed: bigint
  /** Why it failed, in the library's words; `undefined` on success. */
  readonly error: EVMError['error'] | undefined
}

/** The thread ended or could not start; the caller must run the precompile itself. */
export class PrecompileThreadError extends Error {
  override name = 'PrecompileThreadError'
}

interface Task {
  readonly job: PrecompileJob
  readonly done: (result: PrecompileResult) => void
  readonly failed: (error: Error) => void
}

/** ms without work after which the thread ends: it takes 50 MB, and restarts in half a second. */
const IDLE = 10_000

/**
 * A thread for precompiles that would hold the event loop for long; runs one at a time. Aborting a
 * run terminates the thread, since nothing else can stop it. An idle thread does not keep the
 * process alive.
 */
export class PrecompileThread {
  readonly #startWorker: () => Worker
  readonly #waiting: Task[] = []
  #worker: Worker | undefined
  #running: Task | undefined
  #idle: NodeJS.Timeout | undefined

  /** @param start - starts the worker; default: starts a thread that runs precompile.worker */
  constructor(start = () => startWorker('precompile')) {
    this.#startWorker = start
  }

  /**
   * Runs a precompile. Runs are queued, first in, first out.
   *
   * @param signal - aborts this run only; the promise then never settles
   * @throws {PrecompileThreadError} if the thread ended or could not start
   */
  run(job: PrecompileJob, signal: AbortSignal): Promise<PrecompileResult> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return
      const task: Task = { job, done: resolve, failed: reject }
      signal.addEventListener('abort', () => this.#withdraw(task), { once: true })
      this.#waiting.push(task)
      this.#next()
    })
  }

  #next(): void {
    if (this.#running !== undefined) return
    const task = this.#waiting.shift()
    if (task === undefined) {
      this.#rest()
      return
    }
    clearTimeout(this.#idle)
    this.#running = task
    try {
      this.#worker ??= this.#start()
      this.#worker.ref()
      this.#worker.postMessage(task.job)
    } catch (error) {
      this.#fail(error)
    }
  }

  #start(): Worker {
    const worker = this.#startWorker()
    let cause: unknown
    worker.on('message', (result: PrecompileResult) => {
      if (this.#worker !== worker) return
      const task = this.#running
      this.#running = undefined
      task?.done(result)
      this.#next()
    })
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', () => {
      if (this.#worker === worker) this.#fail(cause)
    })
    return worker
  }

  #rest(): void {
    this.#worker?.unref()
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#end(), IDLE).unref()
  }

  #withdraw(task: Task): void {
    if (this.#running !== task) {
      const index = this.#waiting.indexOf(task)
      if (index >= 0) this.#waiting.splice(index, 1)
      return
    }
    this.#running = undefined
    this.#end()
    this.#next()
  }

  #fail(cause: unknown): void {
    const task = this.#running
    this.#running = undefined
    this.#end()
    task?.failed(new PrecompileThreadError('The precompile thread ended', { cause }))
    this.#next()
  }

  #end(): void {
    const worker = this.#worker
    this.#worker = undefined
    // Not awaited, because nothing depends on the end of the thread.
    void worker?.terminate()
  }
}
