import type { Worker } from 'node:worker_threads'

/** A message of a pool's thread. It posts `ready` first, once it takes jobs. */
export type ThreadMessage<Result, Question = never, Note = never> =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly result: Result }
  /** The thread waits on its bell until the answer has been posted. */
  | { readonly kind: 'question'; readonly question: Question }
  | { readonly kind: 'note'; readonly note: Note }

/** Receives the questions and notes of a working thread. If it throws, the job fails. */
export interface ThreadListener<Question, Note> {
  /** Returns the answer, or a promise of it. */
  answer(question: Question): unknown
  note(note: Note): void
}

/**
 * Threads for work that would hold the event loop for long. Each does one job at a time; a job that
 * is withdrawn ends its thread, since nothing else can stop it. Threads start when they are needed,
 * and idle ones do not keep the process alive.
 */
export class ThreadPool<Job, Result, Question = never, Note = never> {
  readonly #startWorker: (bell: SharedArrayBuffer) => Worker
  readonly #size: number
  readonly #waiting: Task<Job, Result, Question, Note>[] = []
  readonly #threads = new Set<Thread<Task<Job, Result, Question, Note>>>()

  /**
   * @param start - starts a worker, which gets its bell
   * @param size - maximum number of threads; default: 1
   */
  constructor(start: (bell: SharedArrayBuffer) => Worker, size = 1) {
    this.#startWorker = start
    this.#size = size
  }

  /** True if a thread has started, at work or not. */
  get isReady(): boolean {
    for (const { isReady } of this.#threads) if (isReady) return true
    return false
  }

  /** True if all threads are at work, and no more may start. */
  get isFull(): boolean {
    if (this.#threads.size < this.#size) return false
    for (const { task } of this.#threads) if (task === undefined) return false
    return true
  }

  /**
   * Starts a thread if there is none, and resolves once it is ready.
   *
   * @throws {ThreadEndedError} if it ends before
   */
  prepare(): Promise<void> {
    const [thread = this.#start()] = this.#threads
    return thread?.ready.promise ?? Promise.reject(new ThreadEndedError('No thread could start'))
  }

  /**
   * Does a job. Jobs are queued, first in, first out.
   *
   * @param signal - aborts this job only; the promise then never settles
   * @throws {ThreadEndedError} if the thread ended or could not start
   */
  run(job: Job, signal: AbortSignal, listener?: ThreadListener<Question, Note>): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return
      const task = { job, listener, done: resolve, failed: reject }
      signal.addEventListener('abort', () => this.#withdraw(task), { once: true })
      this.#waiting.push(task)
      this.#next()
    })
  }

  /** Ends all threads, and resolves when they have ended. Jobs fail. */
  async close(): Promise<void> {
    this.#failWaiting(new ThreadEndedError('The threads were ended'))
    await Promise.all(
      [...this.#threads].map((thread) => {
        thread.task?.failed(new ThreadEndedError('The thread was ended'))
        return this.#end(thread)
      }),
    )
  }

  /** Gives what waits to idle threads, and starts more if they are too few. */
  #next(): void {
    let starting = 0
    for (const thread of this.#threads) {
      if (!thread.isReady) starting++
      else if (thread.task === undefined) this.#assign(thread)
    }
    while (this.#waiting.length > starting && this.#threads.size < this.#size) {
      if (this.#start() === undefined) return
      starting++
    }
  }

  /** Gives a thread the next job, or lets it rest. */
  #assign(thread: Thread<Task<Job, Result, Question, Note>>): void {
    clearTimeout(thread.idle)
    const task = this.#waiting.shift()
    if (task === undefined) {
      thread.worker.unref()
      thread.idle = setTimeout(() => void this.#end(thread), IDLE).unref()
      return
    }
    thread.task = task
    thread.worker.ref()
    thread.worker.postMessage(task.job)
  }

  /** Starts a thread; if it cannot start, fails what waits for it. */
  #start(): Thread<Task<Job, Result, Question, Note>> | undefined {
    const memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    let worker: Worker
    try {
      worker = this.#startWorker(memory)
    } catch (error) {
      this.#lost(error)
      return undefined
    }
    const thread: Thread<Task<Job, Result, Question, Note>> = {
      worker,
      bell: new Int32Array(memory),
      ready: Promise.withResolvers(),
      isReady: false,
      task: undefined,
      idle: undefined,
    }
    // Only `prepare` handles this rejection.
    thread.ready.promise.catch(() => undefined)
    this.#threads.add(thread)
    let cause: unknown
    worker.on('message', (message: ThreadMessage<Result, Question, Note>) => {
      if (this.#threads.has(thread)) this.#hear(thread, message)
    })
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', () => {
      if (!this.#threads.delete(thread)) return
      clearTimeout(thread.idle)
      const error = ended(cause)
      thread.ready.reject(error)
      thread.task?.failed(error)
      // One that does not even start would be started again and again.
      if (thread.isReady) this.#next()
      else this.#lost(cause)
    })
    // After the listeners are added, because a listener for messages refs the worker.
    if (this.#waiting.length === 0) worker.unref()
    return thread
  }

  #hear(
    thread: Thread<Task<Job, Result, Question, Note>>,
    message: ThreadMessage<Result, Question, Note>,
  ): void {
    const { task } = thread
    if (message.kind === 'ready') {
      thread.isReady = true
      thread.ready.resolve()
      this.#assign(thread)
    } else if (message.kind === 'done') {
      thread.task = undefined
      task?.done(message.result)
      this.#assign(thread)
    } else {
      try {
        if (message.kind === 'note') task?.listener?.note(message.note)
        else this.#answer(thread, task?.listener?.answer(message.question))
      } catch (error) {
        this.#fail(thread, error)
      }
    }
  }

  #answer(thread: Thread<Task<Job, Result, Question, Note>>, answer: unknown): void {
    if (answer instanceof Promise) {
      answer.then(
        (known) => this.#answer(thread, known),
        (error) => this.#fail(thread, error),
      )
      return
    }
    const { worker, bell } = thread
    worker.postMessage(answer)
    Atomics.store(bell, 0, 1)
    Atomics.notify(bell, 0)
  }

  #withdraw(task: Task<Job, Result, Question, Note>): void {
    const index = this.#waiting.indexOf(task)
    if (index >= 0) this.#waiting.splice(index, 1)
    for (const thread of this.#threads) if (thread.task === task) void this.#end(thread)
    this.#next()
  }

  #fail(thread: Thread<Task<Job, Result, Question, Note>>, error: unknown): void {
    void this.#end(thread)
    thread.task?.failed(error)
    this.#next()
  }

  /** A thread could not start: fails all waiting tasks, unless another thread is running. */
  #lost(cause: unknown): void {
    if (this.#threads.size === 0) this.#failWaiting(ended(cause))
  }

  #failWaiting(error: ThreadEndedError): void {
    for (const { failed } of this.#waiting.splice(0)) failed(error)
  }

  async #end(thread: Thread<Task<Job, Result, Question, Note>>): Promise<void> {
    clearTimeout(thread.idle)
    this.#threads.delete(thread)
    await thread.worker.terminate()
  }
}

/** The thread ended by itself or could not start; the caller must do the work itself. */
export class ThreadEndedError extends Error {
  override name = 'ThreadEndedError'
}

interface Task<Job, Result, Question, Note> {
  readonly job: Job
  readonly listener: ThreadListener<Question, Note> | undefined
  readonly done: (result: Result) => void
  readonly failed: (error: unknown) => void
}

interface Thread<Task> {
  readonly worker: Worker
  /** One number, which is 1 once an answer has been posted. */
  readonly bell: Int32Array
  readonly ready: PromiseWithResolvers<void>
  isReady: boolean
  task: Task | undefined
  idle: NodeJS.Timeout | undefined
}

/** ms without work after which a thread ends, because it takes tens of MB. */
const IDLE = 10_000

function ended(cause: unknown): ThreadEndedError {
  return new ThreadEndedError('The thread ended', { cause })
}
