import { libraryReason } from '../engine/executionResult.ts'
import { ExecutionAbortedError } from '../engine/scheduler.ts'
import type { Execution } from '../engine/types.ts'
import type { MachineLease } from '../execution/machineLease.ts'
import { RefusedError } from '../primitives/errors.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { runPaced } from '../primitives/paced.ts'
import { authorizationSigners } from './authorizations.ts'
import { createTracer, type TracerChoice } from './createTracer.ts'
import { EvmTrace } from './evmTrace.ts'
import { TraceBudget, type TraceContext, TraceTooLargeError } from './tracer.ts'

/** Tracer and limits of a request. */
export interface TraceOptions {
  readonly tracer: TracerChoice
  /** ms that one transaction may take. */
  readonly timeout: number
  /** Maximum size of the answer in bytes. */
  readonly maxSize: number
  /** Ends the trace when aborted. */
  readonly signal?: AbortSignal | undefined
}

/** A trace took longer than its timeout: code -32000. */
export class TraceTimeoutError extends RefusedError {
  override name = 'TraceTimeoutError'
  constructor(timeout: number) {
    super(
      `execution timeout: the trace took longer than ${timeout} ms; ` +
        'give it more, such as {"timeout": "60s"}',
    )
  }
}

/**
 * A transaction of a block that this node never executed is invalid. Not a {@link RefusedError},
 * because it is thrown during an execution: the machine must not be reused.
 */
export class ImpossibleTransactionError extends Error {
  override name = 'ImpossibleTransactionError'
  constructor(hash: Hex, cause: unknown) {
    super(`tracing failed: transaction ${hash} cannot be executed: ${libraryReason(cause)}`, {
      cause,
    })
  }
}

/** One execution to trace. */
interface TracedExecution extends Pick<TraceContext, 'tx' | 'block' | 'location' | 'logCount'> {
  readonly run: () => Promise<Execution>
}

/** Result of a traced execution. */
export interface Traced {
  /** JSON text in pieces. */
  readonly trace: readonly string[]
  readonly execution: Execution
}

/** The traces of one request. */
export class TraceRun {
  readonly #options: TraceOptions
  readonly #budget: TraceBudget

  constructor(options: TraceOptions) {
    this.#options = options
    this.#budget = new TraceBudget(options.maxSize)
  }

  /**
   * Runs `work`, which calls {@link trace}, and turns its errors into those that a client gets.
   *
   * @throws {TraceTooLargeError}
   * @throws {TraceTimeoutError}
   * @throws {ExecutionAbortedError} if the client hung up
   * @throws {RefusedError} if a transaction is invalid
   */
  async guard<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ImpossibleTransactionError) {
        throw new RefusedError(error.message, { cause: error })
      }
      if (!(error instanceof ExecutionAbortedError)) throw error
      if (this.#budget.isExceeded) throw new TraceTooLargeError(this.#budget.limit)
      if (this.#options.signal?.aborted === true) throw error
      throw new TraceTimeoutError(this.#options.timeout)
    }
  }

  /** Traces one execution on the machine of `lease`; to be called inside {@link guard}. */
  async trace({ executor, machine }: MachineLease, execution: TracedExecution): Promise<Traced> {
    const { tracer: choice, signal, timeout } = this.#options
    const { run, ...context } = execution
    const tracer = createTracer(choice, this.#budget)
    const signers = authorizationSigners(execution.tx, executor.crypto)
    const { precompiles } = (await machine.library()).evm
    const trace = new EvmTrace(machine, tracer, {
      ...context,
      state: machine.overlay,
      rules: executor.rules,
      isPrecompile: (address) => precompiles.has(toHex(address).slice(2)),
      keccak256: executor.crypto.keccak256,
      signers,
    })
    machine.scheduler.begin({ signal, timeout })
    trace.begin()
    try {
      const outcome = await run()
      tracer.end?.(outcome)
      return { trace: await runPaced(tracer.result(), machine.scheduler), execution: outcome }
    } finally {
      trace.end()
      machine.scheduler.begin({ signal })
    }
  }
}
