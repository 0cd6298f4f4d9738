import { availableParallelism } from 'node:os'
import type { Engine } from '../../engine/engine.ts'
import { HeavyExecutionError, Scheduler } from '../../engine/scheduler.ts'
import { answerRead, type Read } from '../../engine/workers/stateReads.ts'
import { ThreadEndedError } from '../../engine/workers/threadPool.ts'
import type { PrintListener } from '../../execution/call.ts'
import { simulationFailure } from '../../execution/simulate.ts'
import type { CallRequest } from '../../execution/types.ts'
import { DevnetError, RefusedError } from '../../primitives/errors.ts'
import { JsonText } from '../../primitives/jsonText.ts'
import {
  heavyTasks,
  sendable,
  type Task,
  type TaskArguments,
  type TaskLimits,
  type TaskName,
  type TaskResult,
  type TaskViews,
} from './heavyTasks.ts'
import type { HeavyJob, HeavyOutcome, Printed } from './heavyTasks.worker.ts'
import type { HeavyThreads } from './heavyThreads.ts'

/** More threads than this gain little: the main thread answers what they read of the state. */
const MOST_WORKERS = 4

/** Number of threads if the option does not say: one core is the main thread's. */
function defaultWorkers(): number {
  return Math.max(1, Math.min(MOST_WORKERS, availableParallelism() - 1))
}

/** Kinds of heavy tasks that are remembered. */
const MAX_KINDS = 100

/** ms; a task that takes less on a thread begins on the main one the next time. */
const LIGHT = 8

/** One task with all it needs. */
interface Attempt<Name extends TaskName> {
  readonly name: Name
  readonly views: TaskViews
  readonly args: TaskArguments<Name>
  readonly limits: TaskLimits
  readonly prints: Prints | undefined
  readonly chainId: number
  /** When the task began, as `performance.now` says. */
  readonly began: number
}

/** A simulation that ran on a thread is text already. */
type Result<Name extends TaskName> = TaskResult<Name> | (Name extends 'simulate' ? JsonText : never)

/**
 * Runs tasks, heavy ones on other threads, so that ticks and light requests do not wait for them. A
 * task begins on the main thread. If it has used three slices there, it begins anew on a thread:
 * it only reads, so nothing is lost but these 15 ms. The next one of its kind begins on the thread.
 * While the first thread starts, tasks go on where they are.
 */
export class HeavyCalls {
  readonly #engine: Engine
  readonly #count: number
  readonly #onInternalError: (error: unknown) => void
  readonly #closing = new AbortController()
  /** Kinds of tasks that were heavy, the longest known first. */
  readonly #heavy = new Set<string>()
  #threads: HeavyThreads | undefined
  #starting: Promise<void> | undefined

  /**
   * @param options.workers - maximum number of threads; 0: all tasks stay on the main thread.
   * Default: one less than there are cores, 1 to 4
   * @param options.onInternalError - hears of threads that cannot start or end by themselves
   */
  constructor(
    engine: Engine,
    options: {
      readonly workers: number | undefined
      readonly onInternalError: (error: unknown) => void
    },
  ) {
    this.#engine = engine
    this.#count = options.workers ?? defaultWorkers()
    this.#onInternalError = options.onInternalError
  }

  /**
   * Runs a task. Result, errors and what it prints are the same on all threads.
   *
   * @param views - to be used in the turn of the event loop in which they were made
   * @throws {DevnetError} as the task does
   */
  async run<Name extends TaskName>(
    name: Name,
    views: TaskViews,
    args: TaskArguments<Name>,
    limits: TaskLimits,
  ): Promise<Result<Name>> {
    if (this.#count === 0) return taskOf(name)(this.#engine, views, args, limits)
    const { onPrint } = limits
    const attempt: Attempt<Name> = {
      name,
      views,
      args,
      limits,
      prints: onPrint && new Prints(onPrint),
      chainId: this.#engine.chainId,
      began: performance.now(),
    }
    // Between two attempts, nothing else retains the state.
    views.state.retain()
    try {
      if (this.#isKnown(attempt)) return await this.#runOnThread(attempt)
      return await this.#runHere(attempt, this.#mayMove)
    } catch (error) {
      if (!(error instanceof HeavyExecutionError)) throw error
      this.#remember(kindOf(attempt))
      return await this.#runOnThread(attempt)
    } finally {
      views.state.release()
    }
  }

  /** Ends what runs on threads, and resolves when these have ended. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#starting
    await this.#threads?.close()
  }

  #runHere<Name extends TaskName>(
    { name, views, args, limits, prints, began }: Attempt<Name>,
    mayMove?: () => boolean,
  ): Promise<TaskResult<Name>> {
    prints?.begin()
    return taskOf(name)(this.#engine, views, args, {
      signal: limits.signal,
      timeout: timeLeft(limits, began),
      mayMove,
      onPrint: prints?.hear,
    })
  }

  async #runOnThread<Name extends TaskName>(attempt: Attempt<Name>): Promise<Result<Name>> {
    let outcome: HeavyOutcome
    try {
      outcome = await this.#offload(attempt)
    } catch (error) {
      if (!(error instanceof ThreadEndedError)) {
        throw attempt.name === 'simulate' ? simulationFailure(error) : error
      }
      if (isOutOfMemory(error.cause)) {
        throw new RefusedError('execution aborted (out of memory)', { cause: error })
      }
      this.#onInternalError(error)
      return this.#runHere(attempt)
    }
    if (outcome.elapsed < LIGHT) this.#heavy.delete(kindOf(attempt))
    if ('error' in outcome) throw errorOf(outcome.error)
    // The thread has run the task of this name.
    return ('text' in outcome ? new JsonText(outcome.text) : outcome.value) as Result<Name>
  }

  #offload<Name extends TaskName>(attempt: Attempt<Name>): Promise<HeavyOutcome> {
    const { name, views, args, limits, prints, chainId, began } = attempt
    const threads = this.#threads
    if (threads === undefined) throw new Error('No thread has started')
    prints?.begin()
    // The name decides the type of the arguments, here as there.
    const plain = sendable(args)
    const job = { name, args: plain, chainId, version: views.state.version } as HeavyJob
    const listener = {
      answer: (read: Read) => answerRead(views, read),
      note: ({ printed, request }: Printed) => prints?.hear(printed, request),
    }
    const { signal: closing } = this.#closing
    const { signal } = limits
    const scheduler = new Scheduler()
    scheduler.begin({
      signal: signal === undefined ? closing : AbortSignal.any([signal, closing]),
      timeout: timeLeft(limits, began),
    })
    return scheduler.offload((stop) => threads.run(job, stop, listener))
  }

  /** Whether the task is of a kind that was heavy, and a thread is there. */
  #isKnown(attempt: Attempt<TaskName>): boolean {
    return this.#heavy.size > 0 && this.#heavy.has(kindOf(attempt)) && this.#mayMove()
  }

  #remember(kind: string): void {
    this.#heavy.add(kind)
    const [oldest] = this.#heavy
    if (oldest !== undefined && this.#heavy.size > MAX_KINDS) this.#heavy.delete(oldest)
  }

  readonly #mayMove = (): boolean => {
    if (this.#threads?.isReady === true) return true
    this.#starting ??= this.#start()
    return false
  }

  /** Starts a first thread. If that fails, it is not tried again. */
  async #start(): Promise<void> {
    try {
      const { createHeavyThreads } = await import('./heavyThreads.ts')
      if (this.#closing.signal.aborted) return
      this.#threads ??= createHeavyThreads(this.#engine, this.#count)
      await this.#threads.prepare()
      this.#starting = undefined
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#onInternalError(error)
    }
  }
}

/** What a task has printed, told once although it is run more than once. */
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

/** The name decides the types of arguments and result, which the compiler cannot follow. */
function taskOf<Name extends TaskName>(name: Name): Task<TaskArguments<Name>, TaskResult<Name>> {
  return heavyTasks[name] as Task<TaskArguments<Name>, TaskResult<Name>>
}

function timeLeft({ timeout }: TaskLimits, began: number): number | undefined {
  return timeout === undefined ? undefined : timeout - (performance.now() - began)
}

/** Tasks of one kind probably take the same time: those that call the same function. */
function kindOf({ name, args }: Pick<Attempt<TaskName>, 'name' | 'args'>): string {
  if ('request' in args) return `${name} ${calleeOf(args.request)}`
  const { blockStateCalls } = args.payload
  const counts = blockStateCalls.map(({ calls = [] }) => calls.length)
  const first = blockStateCalls.find(({ calls = [] }) => calls.length > 0)?.calls?.[0]
  return `${name} ${counts} ${first === undefined ? '' : calleeOf(first)}`
}

/** Characters of 0x and a selector, and as many of init code as tell contracts apart. */
const SELECTOR = 10
const INIT_CODE = 200

function calleeOf({ to, data = '0x' }: CallRequest): string {
  return to === undefined ? data.slice(0, INIT_CODE) : `${to} ${data.slice(0, SELECTOR)}`
}

function errorOf({
  name,
  code,
  message,
  data,
}: Extract<HeavyOutcome, { error: unknown }>['error']) {
  const error = new DevnetError(code, message, { data })
  error.name = name
  return error
}

function isOutOfMemory(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
