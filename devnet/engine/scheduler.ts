import { AsyncResource } from 'node:async_hooks'
import { DevnetError, ErrorCode } from '../primitives/errors.ts'

/** Maximum ms for which an execution may hold the event loop at a time. */
const SLICE = 5

/** As {@link SLICE}, but for a tick. Shorter, because clients wait for answers meanwhile. */
const TICK_SLICE = 1

/** Maximum calls of `yieldIfDueSampled` per reading of the clock, which costs a few opcodes. */
const MAX_SAMPLE = 64

/** Calls of `yieldIfDueSampled` before the first reading, while their frequency is unknown. */
const FIRST_SAMPLE = 8

/** Target ms between readings. A few opcodes or one precompile run from one call to the next. */
const SAMPLE_INTERVAL = 0.5

/** All limits but those of traces, which have a sentence of their own, are of this option. */
const TIMEOUT = 'timeout: longer than the option simulateTimeout allows'

/** Keeps one execution from blocking the event loop, and enforces its limits. */
export class Scheduler {
  /** Calls of `yieldIfDueSampled` per reading of the clock, and how many are left to the next. */
  #sample = FIRST_SAMPLE
  #left = FIRST_SAMPLE
  #lastReading = 0
  #sliceStart = 0
  #deadline = Number.POSITIVE_INFINITY
  #signal: AbortSignal | undefined
  #urgent = false
  #slice = SLICE
  #mayMove: (() => boolean) | undefined
  #isAlone = false
  #waits = true
  #hasWaited = false
  #waitingSince: number | undefined = undefined

  constructor(limits?: SchedulerLimits) {
    if (limits !== undefined) this.begin(limits)
  }

  /** True if the execution has waited for values of the state. */
  get hasWaited(): boolean {
    return this.#hasWaited
  }

  /** True if the execution resumes before others, as a tick does. */
  get isUrgent(): boolean {
    return this.#urgent
  }

  /** True if the execution may hold its thread as long as it takes. */
  get isAlone(): boolean {
    return this.#isAlone
  }

  begin(limits: SchedulerLimits = {}): void {
    const now = performance.now()
    this.#sample = FIRST_SAMPLE
    this.#left = FIRST_SAMPLE
    this.#lastReading = now
    this.#sliceStart = now
    this.#signal = limits.signal
    this.#urgent = limits.urgent === true
    this.#slice = limits.slice ?? (this.#urgent ? TICK_SLICE : SLICE)
    this.#mayMove = limits.mayMove
    this.#isAlone = limits.isAlone === true
    this.#waits = limits.waits !== false
    this.#hasWaited = false
    this.#deadline = limits.timeout === undefined ? Number.POSITIVE_INFINITY : now + limits.timeout
  }

  /**
   * Yields to the event loop if the execution has used up its time slice.
   *
   * @returns a promise to await, or `undefined` if the execution can go on at once
   * @throws {ExecutionAbortedError} if a limit was reached
   * @throws {HeavyExecutionError} if the execution is to begin anew on another thread
   */
  yieldIfDue(): Promise<void> | undefined {
    return this.#yieldIfDue(performance.now())
  }

  /** As {@link yieldIfDue}, but reads the clock only every few calls. For jumps and calls. */
  yieldIfDueSampled(): Promise<void> | undefined {
    if (--this.#left > 0) return undefined
    const now = performance.now()
    // Without the time before this slice: other executions were running then.
    const elapsed = now - Math.max(this.#lastReading, this.#sliceStart)
    const fitting = Math.floor((this.#sample * SAMPLE_INTERVAL) / elapsed)
    this.#sample = Math.min(MAX_SAMPLE, Math.max(1, fitting))
    this.#left = this.#sample
    this.#lastReading = now
    return this.#yieldIfDue(now)
  }

  /**
   * Waits for work on another thread.
   *
   * @param work - starts the work, and stops it when the signal aborts
   * @throws {ExecutionAbortedError} as soon as a limit is reached
   */
  async offload<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const stop = new AbortController()
    const ended = Promise.withResolvers<never>()
    const end = (reason: string) => {
      const error = new ExecutionAbortedError(reason)
      ended.reject(error)
      stop.abort(error)
    }
    const withdrawn = () => end('the request was withdrawn')
    let timer: NodeJS.Timeout | undefined
    const watch = () => {
      const left = this.timeLeft
      // The deadline moves while an execution waits for state, so check it again.
      if (timer !== undefined && left <= 0) end(TIMEOUT)
      else if (left < Number.POSITIVE_INFINITY) timer = setTimeout(watch, Math.max(1, left))
    }
    watch()
    if (this.#signal?.aborted === true) withdrawn()
    else this.#signal?.addEventListener('abort', withdrawn, { once: true })
    try {
      return await Promise.race([work(stop.signal), ended.promise])
    } finally {
      clearTimeout(timer)
      this.#signal?.removeEventListener('abort', withdrawn)
      this.#sliceStart = performance.now()
    }
  }

  /**
   * Waits for a value of the state. That time counts for no limit: the fetch has its own.
   *
   * @throws {ExecutionAbortedError} as soon as the execution is withdrawn
   * @throws {ValueMissingError} if the execution does not wait
   */
  readonly wait = async <Value>(ready: Promise<Value>): Promise<Value> => {
    if (!this.#waits) {
      // Whoever fetches the value next gets the error, too.
      ready.catch(() => undefined)
      throw new ValueMissingError(ready)
    }
    this.#hasWaited = true
    return await this.untimed(ready)
  }

  /**
   * Waits for what is no work of the execution, such as the load of a module: it counts for no
   * limit.
   *
   * @throws {ExecutionAbortedError} as soon as the execution is withdrawn
   */
  async untimed<Value>(ready: Promise<Value>): Promise<Value> {
    const start = performance.now()
    this.#waitingSince = start
    const ended = Promise.withResolvers<never>()
    const withdraw = () => ended.reject(new ExecutionAbortedError('the request was withdrawn'))
    const signal = this.#signal
    if (signal?.aborted === true) withdraw()
    else signal?.addEventListener('abort', withdraw, { once: true })
    try {
      return await Promise.race([ready, ended.promise])
    } finally {
      signal?.removeEventListener('abort', withdraw)
      this.#sliceStart = performance.now()
      this.#waitingSince = undefined
      this.#deadline += this.#sliceStart - start
    }
  }

  /** ms until the deadline, if the execution now worked. */
  get timeLeft(): number {
    return this.#deadline - (this.#waitingSince ?? performance.now())
  }

  #yieldIfDue(now: number): Promise<void> | undefined {
    if (now - this.#sliceStart < this.#slice) return undefined
    if (this.#isAlone) return undefined
    if (this.#signal?.aborted === true) throw new ExecutionAbortedError('the request was withdrawn')
    if (now > this.#deadline) throw new ExecutionAbortedError(TIMEOUT)
    if (this.#mayMove?.() === true) throw new HeavyExecutionError('The execution is heavy')
    return this.#pause()
  }

  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => resumeLater(resolve, this.#urgent))
    this.#sliceStart = performance.now()
  }
}

/** The execution was stopped: the client hung up, the node stops, or the time limit was reached. */
export class ExecutionAbortedError extends DevnetError {
  override name = 'ExecutionAbortedError'
  constructor(reason: string) {
    super(ErrorCode.server, `execution aborted (${reason})`)
  }
}

/**
 * The execution is to begin anew on another thread. Only if {@link SchedulerLimits.mayMove} said
 * so; never answered to a client.
 */
export class HeavyExecutionError extends Error {
  override name = 'HeavyExecutionError'
}

/**
 * The execution needs a value of the state that is being fetched, and does not wait for it. Only if
 * {@link SchedulerLimits.waits} said so; never answered to a client.
 */
export class ValueMissingError extends Error {
  override name = 'ValueMissingError'
  /** Ends when the value is known, or cannot be had. */
  readonly ready: Promise<unknown>

  constructor(ready: Promise<unknown>) {
    super('A value of the state is being fetched')
    this.ready = ready
  }
}

/**
 * Maximum number of running executions that began in one turn of the event loop. As many idle
 * machines are kept; more exist only while long executions run.
 */
export const SIDE_BY_SIDE = 8

/** Limits of an execution, and how it shares the event loop. */
export interface SchedulerLimits {
  /** Ends the execution when aborted. */
  readonly signal?: AbortSignal | undefined
  /** ms after which the execution ends; default: never. */
  readonly timeout?: number | undefined
  /** True if it resumes before others, as a tick must. Default: false. */
  readonly urgent?: boolean
  /** ms for which it may hold the event loop at a time. Default: 5, or 1 if it is urgent. */
  readonly slice?: number | undefined
  /**
   * Asked after each slice: whether the execution ends here with a {@link HeavyExecutionError}.
   * Default: no.
   */
  readonly mayMove?: (() => boolean) | undefined
  /** True if its thread has nothing else to do, so that it never yields. Default: false. */
  readonly isAlone?: boolean | undefined
  /**
   * True if it waits for values of the state that have to be fetched. If not, it ends with a
   * {@link ValueMissingError}. Default: true.
   */
  readonly waits?: boolean | undefined
}

/**
 * Waits for values of the state outside of an execution.
 *
 * @throws {ExecutionAbortedError} as soon as `signal` aborts
 */
export function waitUntilAborted(
  ready: Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Scheduler({ signal }).wait(ready)
}

/** The real one: a test may replace it, and never call what it is given. */
const nextTurn = setImmediate

/**
 * Paused executions of the whole process. One resumes in each turn of the event loop, so that many
 * block it no longer than one.
 */
const paused = { urgent: [] as (() => void)[], others: [] as (() => void)[], lastUrgent: false }

/** Begins urgent work: what branches are to do at the same time, one a turn of the event loop. */
export function takeTurn(run: () => void): void {
  const isFree = paused.urgent.length === 0
  // Bound to its async context, so that no run goes by the virtual time of another.
  resumeLater(isFree ? () => undefined : AsyncResource.bind(run), true)
  if (isFree) run()
}

function resumeLater(resume: () => void, isUrgent: boolean): void {
  const { urgent, others } = paused
  const list = isUrgent ? urgent : others
  list.push(resume)
  if (urgent.length + others.length === 1) nextTurn(resumeNext)
}

function resumeNext(): void {
  const { urgent, others } = paused
  // Alternates: a long tick must not starve all calls.
  const pickUrgent = urgent.length > 0 && (others.length === 0 || !paused.lastUrgent)
  paused.lastUrgent = pickUrgent
  const next = pickUrgent ? urgent.shift() : others.shift()
  next?.()
  if (urgent.length + others.length > 0) nextTurn(resumeNext)
}
