import type { TypedTransaction } from '@ethereumjs/tx'
import { libraryReason } from '../engine/executionResult.ts'
import { ExecutionAbortedError } from '../engine/scheduler.ts'
import type { BlockContext, Execution } from '../engine/types.ts'
import type { MachineLease } from '../execution/machineLease.ts'
import { RefusedError } from '../primitives/errors.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { authorities } from './authorizations.ts'
import { createTracer, type TracerChoice } from './createTracer.ts'
import { EvmTrace } from './evmTrace.ts'
import { TraceBudget, TraceTooLargeError, type TransactionLocation } from './tracer.ts'

/** What is traced, and what bounds it. */
export interface TraceOptions {
  readonly tracer: TracerChoice
  /** ms that one transaction may take. */
  readonly timeout: number
  /** Bytes of the answer. */
  readonly maxSize: number
  /** Ends it when aborted. */
  readonly signal?: AbortSignal | undefined
}

/** A trace took longer than it was given: code -32000. */
export class TraceTimeoutError extends RefusedError {
  override name = 'TraceTimeoutError'
  constructor(timeout: number) {
    super(
      `execution timeout: the trace took longer than ${timeout} ms; give it more, such as {"timeout": "60s"}`,
    )
  }
}

/**
 * A transaction of a block that was never executed here cannot be executed. No error of a request yet: thrown in the
 * midst of an execution, it leaves a machine behind that nobody may use again.
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
export interface TracedExecution {
  readonly tx: TypedTransaction
  /** 20 bytes of the sender. */
  readonly from: Uint8Array
  readonly block: BlockContext
  /** `undefined` for a call. */
  readonly place: TransactionLocation | undefined
  /** Logs in the block before it. */
  readonly logCount: number
  /** Executes it. */
  readonly run: () => Promise<Execution>
}

/** What came of a traced execution. */
export interface Traced {
  /** JSON text. */
  readonly trace: string
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
   * Runs `work`, which holds traces.
   *
   * @throws {TraceTooLargeError}
   * @throws {TraceTimeoutError}
   * @throws {ExecutionAbortedError} where the client hung up
   * @throws {RefusedError} where a transaction is impossible
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

  /** Traces one execution on the machine of `lease`; inside of {@link guard}. */
  async trace({ executor, machine }: MachineLease, execution: TracedExecution): Promise<Traced> {
    const { tracer: choice, signal, timeout } = this.#options
    const { tx, from, block, place, logCount, run } = execution
    const tracer = createTracer(choice, this.#budget)
    const signers = await authorities(tx)
    const { precompiles } = machine.vm.evm
    const trace = new EvmTrace(machine, tracer, {
      state: machine.overlay,
      rules: executor.rules,
      block,
      tx,
      from,
      isPrecompile: (address) => precompiles.has(toHex(address).slice(2)),
      keccak256: executor.crypto.keccak256,
      signers,
      place,
      logCount,
    })
    machine.scheduler.begin({ signal, timeout })
    trace.begin()
    try {
      const outcome = await run()
      tracer.end?.(outcome)
      return { trace: tracer.result(), execution: outcome }
    } finally {
      trace.end()
      machine.scheduler.begin({ signal })
    }
  }
}
