import { EVMError, type EVMOpts } from '@ethereumjs/evm'
import { DevnetError, ErrorCode } from '../primitives/errors.ts'

/** ms that an execution may hold the event loop before it lets others in. */
const SLICE = 5

/** The same for ticks, which are the rule: whoever sends waits for the answer before the next send. */
const TICK_SLICE = 1

/** Most yield points between two looks at the clock: a look costs as much as a few opcodes. */
const MOST_POINTS = 64

/** Yield points before the first look, when nothing is known of what lies between two of them. */
const FIRST_POINTS = 8

/** ms that is aimed at between two looks: between two points lie a few opcodes, or a precompile that takes that long alone. */
const LOOK_INTERVAL = 0.5

/** The execution was stopped on purpose: the client hung up, the node stops, or its time was over. */
export class ExecutionAbortedError extends DevnetError {
  override name = 'ExecutionAbortedError'
  constructor(reason: string) {
    super(ErrorCode.server, `execution aborted (${reason})`)
  }
}

/** Executions that paused; one goes on in each turn of the event loop, so that many hold it no longer than one. */
const paused = { urgent: [] as (() => void)[], others: [] as (() => void)[], lastUrgent: false }

function resumeNext(): void {
  const { urgent, others } = paused
  // In turn, or a long tick would starve all calls.
  const pickUrgent = urgent.length > 0 && (others.length === 0 || !paused.lastUrgent)
  paused.lastUrgent = pickUrgent
  const next = pickUrgent ? urgent.shift() : others.shift()
  next?.()
  if (urgent.length + others.length > 0) setImmediate(resumeNext)
}

/** Keeps one execution from holding the event loop, and ends it when it is no longer wanted. */
export class Pace {
  /** Yield points between two looks. */
  #points = FIRST_POINTS
  /** Of them, those before the next look. */
  #left = FIRST_POINTS
  #looked = 0
  #sliceStart = 0
  #deadline = Number.POSITIVE_INFINITY
  #signal: AbortSignal | undefined
  #urgent = false

  /**
   * Begins an execution.
   *
   * @param limits.signal - ends it when aborted
   * @param limits.timeout - ms after which it ends; default: never
   * @param limits.urgent - goes on before others that paused, as a tick must; default: false
   */
  begin(
    limits: {
      signal?: AbortSignal | undefined
      timeout?: number | undefined
      urgent?: boolean
    } = {},
  ): void {
    const now = performance.now()
    this.#points = FIRST_POINTS
    this.#left = FIRST_POINTS
    this.#looked = now
    this.#sliceStart = now
    this.#signal = limits.signal
    this.#urgent = limits.urgent === true
    this.#deadline = limits.timeout === undefined ? Number.POSITIVE_INFINITY : now + limits.timeout
  }

  /**
   * A place where the execution can pause; called at each jump and each call, so at least once a loop.
   *
   * @returns a promise where it has to pause, `undefined` where it can go on at once
   * @throws {ExecutionAbortedError}
   */
  point(): Promise<void> | undefined {
    if (--this.#left > 0) return undefined
    const now = performance.now()
    // Others had the time before the slice.
    const elapsed = now - Math.max(this.#looked, this.#sliceStart)
    const fitting = Math.floor((this.#points * LOOK_INTERVAL) / elapsed)
    this.#points = Math.min(MOST_POINTS, Math.max(1, fitting))
    this.#left = this.#points
    this.#looked = now
    return this.#breathe(now)
  }

  /**
   * A place where others get their turn if the last one was long ago; for between two transactions.
   *
   * @returns a promise where it has to pause, `undefined` where it can go on at once
   * @throws {ExecutionAbortedError}
   */
  breathe(): Promise<void> | undefined {
    return this.#breathe(performance.now())
  }

  #breathe(now: number): Promise<void> | undefined {
    if (now - this.#sliceStart < (this.#urgent ? TICK_SLICE : SLICE)) return undefined
    if (this.#signal?.aborted === true) throw new ExecutionAbortedError('the request was withdrawn')
    if (now > this.#deadline) throw new ExecutionAbortedError('timeout')
    return this.#pause()
  }

  /** Whether it goes on before others, as a tick does. */
  get isUrgent(): boolean {
    return this.#urgent
  }

  /**
   * Waits for work that goes on elsewhere, such as on another thread.
   *
   * @param work - begins it, and ends it when the signal aborts
   * @throws {ExecutionAbortedError} as soon as a limit ends the execution
   */
  async elsewhere<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const stop = new AbortController()
    const ended = Promise.withResolvers<never>()
    const end = (reason: string) => {
      const error = new ExecutionAbortedError(reason)
      ended.reject(error)
      stop.abort(error)
    }
    const withdrawn = () => end('the request was withdrawn')
    const left = Math.max(0, this.#deadline - performance.now())
    const timer =
      left < Number.POSITIVE_INFINITY ? setTimeout(() => end('timeout'), left) : undefined
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

  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const { urgent, others } = paused
      if (this.#urgent) urgent.push(resolve)
      else others.push(resolve)
      if (urgent.length + others.length === 1) setImmediate(resumeNext)
    })
    this.#sliceStart = performance.now()
  }
}

type CustomOpcode = NonNullable<EVMOpts['customOpcodes']>[number]
type LogicFunction = Extract<CustomOpcode, { logicFunction: unknown }>['logicFunction']
type RunState = Parameters<LogicFunction>[0]

function jump(state: RunState, destination: bigint): void {
  const position = Number(destination)
  // Also where it lies behind the code: nothing is valid there.
  if (state.validJumps[position] !== 1) {
    throw new EVMError(EVMError.errorMessages.INVALID_JUMP)
  }
  state.programCounter = position
}

/**
 * JUMP and JUMPI as the library has them, with a yield point each. Every loop holds a jump, so with these and one at
 * each call no code can hold the event loop for long; the library itself never yields.
 */
export function yieldOpcodes(pace: Pace): CustomOpcode[] {
  return [
    {
      opcode: 0x56,
      opcodeName: 'JUMP',
      baseFee: 8,
      logicFunction(state) {
        jump(state, state.stack.pop())
        return pace.point()
      },
    },
    {
      opcode: 0x57,
      opcodeName: 'JUMPI',
      baseFee: 10,
      logicFunction(state) {
        const destination = state.stack.pop()
        if (state.stack.pop() !== 0n) jump(state, destination)
        return pace.point()
      },
    },
  ]
}
