import type { Engine } from '../engine/engine.ts'
import type { Executor } from '../engine/executor.ts'
import type { Machine } from '../engine/machine.ts'
import {
  ExecutionAbortedError,
  HeavyExecutionError,
  type SchedulerLimits,
  SIDE_BY_SIDE,
  waitUntilAborted,
} from '../engine/scheduler.ts'
import type { BlockHashes } from '../engine/types.ts'
import { afterwards } from '../primitives/afterwards.ts'
import { DevnetError } from '../primitives/errors.ts'
import type { ForkRules } from '../protocol/forks.ts'
import {
  type PrefetchedCall,
  type RemoteKeys,
  UpstreamError,
} from '../state/remote/remoteSource.ts'
import type { StateReader, Version } from '../state/types.ts'

export type ExecutionLimits = Omit<SchedulerLimits, 'urgent'>

/** A version of the state, which stays readable between {@link retain} and {@link release}. */
export interface HeldState extends StateReader {
  readonly version: Version
  /** Number of the store that has the version. */
  readonly store: number
  retain(): unknown
  release(): void
}

export interface LeaseRequest extends ExecutionLimits {
  readonly engine: Engine
  /** Rules of the block in which the execution runs. */
  readonly rules: ForkRules
  readonly state: HeldState
  readonly blockHashes: BlockHashes
  /** Reads that the work makes in any case; a forked chain fetches them first. Default: none */
  readonly reads?: (() => RemoteKeys) | undefined
  /** The call that makes these reads first; its other reads are prefetched meanwhile. */
  readonly prefetched?: PrefetchedCall | undefined
}

/** A machine that belongs to one request until its work is done. */
export interface MachineLease {
  readonly executor: Executor
  readonly machine: Machine
  /** A lease with other rules that keeps this one's changes. Run nothing on this one afterwards. */
  under(rules: ForkRules): Promise<MachineLease>
}

/**
 * Runs `work` on a machine over `state`, which stays readable until the end, whatever happens to
 * the chain. Commits nothing.
 *
 * @throws {VersionGoneError} if the state is no longer kept
 * @throws {ExecutionAbortedError} if the work is aborted or times out
 * @throws {HeavyExecutionError} if it is heavy, and may move
 */
export async function withMachine<Result>(
  request: LeaseRequest,
  work: (lease: MachineLease) => Result | Promise<Result>,
): Promise<Result> {
  const { engine, rules, state, reads, prefetched, signal } = request
  state.retain()
  try {
    const ready = reads && state.lazyReads?.all(reads())
    if (ready !== undefined) {
      if (prefetched !== undefined) state.lazyReads?.prefetch?.(prefetched)
      await waitUntilAborted(ready, signal)
    }
    const executor = engine.loaded(rules) ?? (await engine.executor(rules))
    const entry = gate.enter()
    const turn = typeof entry === 'number' ? entry : await entry
    try {
      const result = lend(executor, request, work)
      return result instanceof Promise ? await result : result
    } finally {
      gate.leave(turn)
    }
  } finally {
    state.release()
  }
}

/** Returns a promise only if something must be awaited: most calls are shorter than its cost. */
function lend<Result>(
  executor: Executor,
  { engine, state, blockHashes, signal, timeout, slice, mayMove, isAlone }: LeaseRequest,
  work: (lease: MachineLease) => Result | Promise<Result>,
): Result | Promise<Result> {
  if (signal?.aborted === true) throw new ExecutionAbortedError('the request was withdrawn')
  const leases: MachineLease[] = []
  const begin = (executor: Executor, machine: Machine, left = timeout): MachineLease => {
    machine.scheduler.begin({ signal, timeout: left, slice, mayMove, isAlone })
    const lease: MachineLease = {
      executor,
      machine,
      async under(rules) {
        const left = machine.scheduler.timeLeft
        const next = await engine.executor(rules)
        // Either may have loaded an engine, which counts for no limit.
        return begin(next, await next.acquire(machine.overlay, blockHashes), left)
      },
    }
    leases.push(lease)
    return lease
  }
  const giveBack = () => {
    for (const { executor, machine } of leases) {
      // The limits belong to this request and must not apply to the machine's next one.
      machine.scheduler.begin()
      executor.release(machine)
    }
  }
  const end = (result: Result): Result => {
    giveBack()
    return result
  }
  const fail = (error: unknown): never => {
    // Other DevnetErrors are thrown before or after an execution, and what is no DevnetError may
    // leave the machine unusable.
    const isUsable =
      error instanceof HeavyExecutionError || error instanceof UpstreamError
        ? leases.every(({ machine }) => machine.isFast)
        : error instanceof DevnetError && !(error instanceof ExecutionAbortedError)
    if (isUsable) giveBack()
    throw error
  }
  let working: Result | Promise<Result>
  try {
    const acquired = executor.acquire(state, blockHashes)
    working = afterwards(acquired, (machine) => work(begin(executor, machine)))
  } catch (error) {
    return fail(error)
  }
  return working instanceof Promise ? working.then(end, fail) : end(working)
}

/** ms from the start of a turn of the event loop during which executions may begin in it. */
const SLICE = 5

/**
 * Decides when executions may begin. Short ones never reach a yield point, so a thousand at once
 * would take a thousand machines and block the event loop until all are done. A long one counts
 * only in the turn in which it begins: it yields by itself, and short ones run beside it. Exported
 * for its test.
 */
export class ExecutionGate {
  /** Number of the turn of the event loop; turns without executions are not counted. */
  #turn = 0
  #isOpen = false
  #began = 0
  #running = 0
  readonly #waiting: ((turn: number) => void)[] = []

  /** Returns the execution's turn, for {@link leave}; a promise if the execution must wait. */
  enter(): number | Promise<number> {
    if (!this.#isOpen) this.#open()
    if (this.#waiting.length === 0 && this.#hasRoom()) {
      this.#running++
      return this.#turn
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  leave(turn: number): void {
    if (turn !== this.#turn) return
    this.#running--
    this.#admit()
  }

  #open(): void {
    this.#turn++
    this.#isOpen = true
    this.#running = 0
    this.#began = performance.now()
    setImmediate(() => {
      this.#isOpen = false
      if (this.#waiting.length === 0) return
      this.#open()
      this.#admit()
    })
  }

  #admit(): void {
    while (this.#waiting.length > 0 && this.#hasRoom()) {
      this.#running++
      this.#waiting.shift()?.(this.#turn)
    }
  }

  #hasRoom(): boolean {
    return this.#running < SIDE_BY_SIDE && performance.now() - this.#began < SLICE
  }
}

/** One for the process, as there is one event loop. */
const gate = new ExecutionGate()
