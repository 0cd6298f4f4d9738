import { availableParallelism } from 'node:os'
import type { Engine } from '../../engine/engine.ts'
import { HeavyExecutionError, Scheduler } from '../../engine/scheduler.ts'
import { answerRead, type Read } from '../../engine/workers/stateReads.ts'
import { ThreadEndedError } from '../../engine/workers/threadPool.ts'
import type { PrintListener } from '../../execution/call.ts'
import { DevnetError, RefusedError, RejectedError } from '../../primitives/errors.ts'
import { JsonText } from '../../primitives/jsonText.ts'
import type { ForkSchedule } from '../../protocol/forkSchedule.ts'
import type { HeavyOutcome, Printed } from './heavyTasks.worker.ts'
import type { HeavyThreads } from './heavyThreads.ts'
import { IdleMeter } from './idleMeter.ts'
import type { Task, TaskLimits, TaskViews } from './task.ts'

/** More threads than this gain little: the main thread answers what they read of the state. */
const MOST_WORKERS = 4

/**
 * Runs tasks, heavy ones on other threads, so that ticks and light requests do not wait for them.
 * A task begins on the main thread. If it has used a slice of 5 ms there, it is heavy, and begins
 * anew on a thread: a few clients whose tasks took two slices each would let all others wait. It
 * only reads, so nothing else is lost. The next one of its kind begins on a thread. If all threads
 * are at work and the main one is mostly idle, one task at a time runs there instead, in short
 * slices. While the first thread starts, tasks go on where they are.
 */
export class HeavyCalls {
  readonly #engine: Engine
  readonly #onInternalError: (error: unknown) => void
  readonly #meter: Meter
  readonly #closing = new AbortController()
  readonly #shared: Shared
  readonly #isBranch: boolean

  /**
   * @param options.workers - maximum number of threads; 0: all tasks stay on the main thread.
   * Default: one less than there are cores, 1 to 4
   * @param options.onInternalError - hears of threads that cannot start or end by themselves
   * @param options.meter - tells whether the main thread is mostly idle. Default: measures it
   * @param shared - of the node's first chain. Default: made for this one
   */
  constructor(
    engine: Engine,
    options: {
      readonly workers: number | undefined
      readonly onInternalError: (error: unknown) => void
      readonly meter?: Meter
    },
    shared?: Shared,
  ) {
    this.#engine = engine
    this.#onInternalError = options.onInternalError
    this.#meter = options.meter ?? new IdleMeter()
    this.#isBranch = shared !== undefined
    this.#shared = shared ?? {
      count: options.workers ?? defaultWorkers(),
      heavy: new Set(),
      isHelping: false,
      threads: undefined,
      starting: undefined,
      missed: 0,
      isClosed: false,
    }
  }

  /** Runs the tasks of another chain, on the same threads. */
  branch(engine: Engine): HeavyCalls {
    const options = { workers: 0, onInternalError: this.#onInternalError, meter: this.#meter }
    return new HeavyCalls(engine, options, this.#shared)
  }

  /**
   * Runs a task. Result, errors and what it prints are the same on all threads.
   *
   * @param views - to be used in the turn of the event loop in which they were made
   * @throws {DevnetError} as the task does
   */
  async run<Arguments, Result>(
    task: Task<Arguments, Result>,
    views: TaskViews,
    args: Arguments,
    limits: TaskLimits,
  ): Promise<Result> {
    if (this.#shared.count === 0) return task.run(this.#engine, views, args, limits)
    const { onPrint } = limits
    const attempt: Attempt<Arguments, Result> = {
      task,
      views,
      args,
      limits,
      prints: onPrint && new Prints(onPrint),
      schedule: this.#engine.schedule,
      began: performance.now(),
    }
    // Between two attempts, nothing else retains the state.
    views.state.retain()
    try {
      if (this.#isKnown(attempt)) {
        return this.#mayHelp() ? await this.#help(attempt) : await this.#runOnThread(attempt)
      }
      let slices = 0
      const mayMove = () => this.#mayMove(attempt, ++slices)
      const result = await this.#runHere(attempt, { mayMove })
      if (slices === 0 && this.#shared.heavy.size > 0) this.#shared.heavy.delete(task.kindOf(args))
      return result
    } catch (error) {
      if (!(error instanceof HeavyExecutionError)) throw error
      return await this.#runOnThread(attempt)
    } finally {
      views.state.release()
    }
  }

  /** Ends what runs on threads, and resolves when these have ended. */
  async close(): Promise<void> {
    this.#closing.abort()
    if (this.#isBranch) return
    this.#shared.isClosed = true
    await this.#shared.starting
    await this.#shared.threads?.close()
  }

  #runHere<Arguments, Result>(
    { task, views, args, limits, prints, began }: Attempt<Arguments, Result>,
    sharing: Pick<TaskLimits, 'slice' | 'mayMove'> = {},
  ): Promise<Result> {
    prints?.begin()
    return task.run(this.#engine, views, args, {
      ...sharing,
      signal: limits.signal,
      timeout: timeLeft(limits, began),
      onPrint: prints?.hear,
    })
  }

  /** True if the main thread may do the work of another one. */
  #mayHelp(): boolean {
    const { isHelping, threads } = this.#shared
    return !isHelping && threads?.isFull === true && this.#meter.isIdle()
  }

  async #help<Arguments, Result>(attempt: Attempt<Arguments, Result>): Promise<Result> {
    this.#shared.isHelping = true
    const mayMove = () => {
      this.#meter.helped(HELPING_SLICE)
      return false
    }
    try {
      return await this.#runHere(attempt, { slice: HELPING_SLICE, mayMove })
    } finally {
      this.#shared.isHelping = false
    }
  }

  async #runOnThread<Arguments, Result>(attempt: Attempt<Arguments, Result>): Promise<Result> {
    const { task, args } = attempt
    let outcome: HeavyOutcome
    try {
      outcome = await this.#offload(attempt)
    } catch (error) {
      if (!(error instanceof ThreadEndedError)) throw task.failure(error)
      if (isOutOfMemory(error.cause)) {
        throw new RefusedError('execution aborted (out of memory)', { cause: error })
      }
      this.#onInternalError(error)
      return this.#runHere(attempt)
    }
    if (outcome.elapsed < LIGHT) this.#shared.heavy.delete(task.kindOf(args))
    if ('error' in outcome) throw errorOf(outcome.error)
    // The thread has run the same task.
    return ('text' in outcome ? new JsonText(outcome.text) : outcome.value) as Result
  }

  #offload<Arguments, Result>(attempt: Attempt<Arguments, Result>): Promise<HeavyOutcome> {
    const { task, views, limits, prints, schedule, began } = attempt
    const threads = this.#shared.threads
    if (threads === undefined) throw new Error('No thread has started')
    prints?.begin()
    const args = task.sendable(attempt.args)
    const { rules, state } = views
    const { store, version } = state
    const job = { name: task.name, args, forks: { ...schedule }, rules, store, version }
    const scheduler = new Scheduler()
    const listener = {
      answer(read: Read) {
        const answer = answerRead(views, read)
        return answer instanceof Promise ? scheduler.wait<unknown>(answer) : answer
      },
      note: ({ printed, request }: Printed) => prints?.hear(printed, request),
    }
    const { signal: closing } = this.#closing
    const { signal } = limits
    scheduler.begin({
      signal: signal === undefined ? closing : AbortSignal.any([signal, closing]),
      timeout: timeLeft(limits, began),
    })
    return scheduler.offload((stop) => threads.run(job, stop, listener))
  }

  /** True if the task is of a kind that was heavy, and a thread is there. */
  #isKnown<Arguments>({ task, args }: Attempt<Arguments, unknown>): boolean {
    return this.#shared.heavy.size > 0 && this.#isReady && this.#shared.heavy.has(task.kindOf(args))
  }

  #remember(kind: string): void {
    this.#shared.heavy.add(kind)
    const [oldest] = this.#shared.heavy
    if (oldest !== undefined && this.#shared.heavy.size > MAX_KINDS)
      this.#shared.heavy.delete(oldest)
  }

  get #isReady(): boolean {
    return this.#shared.threads?.isReady === true
  }

  /** True if a task that has used some slices moves to another thread. */
  #mayMove<Arguments>({ task, args }: Attempt<Arguments, unknown>, slices: number): boolean {
    this.#remember(task.kindOf(args))
    if (this.#isReady) return true
    this.#shared.missed += slices > FIRST_SLICES ? 1 : FIRST_WORTH
    if (this.#shared.missed > WORTH_A_THREAD) this.#shared.starting ??= this.#start()
    return false
  }

  /**
   * Starts a first thread. If that fails, it is not tried again. Without the fast engine none is
   * started: each would have to load the library, which takes 300 ms and 60 MB.
   */
  async #start(): Promise<void> {
    try {
      if (!(await this.#engine.isFast())) {
        this.#shared.count = 0
        return
      }
      const { createHeavyThreads } = await import('./heavyThreads.ts')
      if (this.#shared.isClosed) return
      this.#shared.threads ??= createHeavyThreads(this.#engine, this.#shared.count)
      await this.#shared.threads.prepare()
      this.#shared.starting = undefined
    } catch (error) {
      if (!this.#shared.isClosed) this.#onInternalError(error)
    }
  }
}

/** State that the chains of a node share. */
interface Shared {
  /** Maximum number of threads. */
  count: number
  /** Kinds of tasks of which the last one was heavy, the longest known first. */
  readonly heavy: Set<string>
  /** True if the main thread does the work of another one. */
  isHelping: boolean
  threads: HeavyThreads | undefined
  starting: Promise<void> | undefined
  /** Slices of heavy tasks until a thread is started, the first ones of each worth less. */
  missed: number
  isClosed: boolean
}

/** Number of threads if the option does not say: one core is the main thread's. */
function defaultWorkers(): number {
  return Math.max(1, Math.min(MOST_WORKERS, availableParallelism() - 1))
}

/** Kinds of heavy tasks that are remembered. */
const MAX_KINDS = 100

/**
 * The first slices of a task count little for the start of a thread: its code may be slow only
 * because the process is new, and a thread begins with new code, too.
 */
const FIRST_SLICES = 2
const FIRST_WORTH = 0.1

/** Slices after which the first thread is started, which takes as long as 40. */
const WORTH_A_THREAD = 30

/** ms; a task that takes less on a thread begins on the main one the next time. */
const LIGHT = 3

/** ms; a slice of a task that runs on the main thread because all others are at work. */
const HELPING_SLICE = 1

type Meter = Pick<IdleMeter, 'isIdle' | 'helped'>

interface Attempt<Arguments, Result> {
  readonly task: Task<Arguments, Result>
  readonly views: TaskViews
  readonly args: Arguments
  readonly limits: TaskLimits
  readonly prints: Prints | undefined
  readonly schedule: ForkSchedule
  /** Beginning of the task, by `performance.now`. */
  readonly began: number
}

/** Output of a task, reported once although it is run more than once. */
class Prints {
  readonly #listener: PrintListener
  #told = 0
  #seen = 0

  constructor(listener: PrintListener) {
    this.#listener = listener
  }

  /** The task begins, maybe not for the first time. */
  begin(): void {
    this.#seen = 0
  }

  readonly hear: PrintListener = (printed, request) => {
    if (printed === undefined || ++this.#seen <= this.#told) return
    this.#told++
    this.#listener(printed, request)
  }
}

function timeLeft({ timeout }: TaskLimits, began: number): number | undefined {
  return timeout === undefined ? undefined : timeout - (performance.now() - began)
}

function errorOf({
  name,
  code,
  message,
  data,
  isRejection,
}: Extract<HeavyOutcome, { error: unknown }>['error']) {
  const error = isRejection ? new RejectedError(message) : new DevnetError(code, message, { data })
  error.name = name
  return error
}

function isOutOfMemory(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
