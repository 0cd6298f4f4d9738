import { authorizationSigner } from '../engine/fast/delegations.ts'
import type { Machine } from '../engine/machine.ts'
import { ExecutionAbortedError, Scheduler } from '../engine/scheduler.ts'
import type { Execution } from '../engine/types.ts'
import type { MachineLease } from '../execution/machineLease.ts'
import type { TracerChoice } from '../json/schemas/tracerChoice.ts'
import { LimitError, RefusedError } from '../primitives/errors.ts'
import { toHex } from '../primitives/hex.ts'
import { runPaced } from '../primitives/paced.ts'
import { createTracer } from './createTracer.ts'
import { ImpossibleTransactionError } from './executeAgain.ts'
import { type ExecutionContext, reportTopFrame, traceLightly } from './lightTrace.ts'
import { TraceBudget, type TraceContext, type Tracer } from './tracer.ts'

export interface TraceOptions {
  readonly tracer: TracerChoice
  /** ms that one transaction may take. */
  readonly timeout: number
  /** Maximum size of the answer in bytes. */
  readonly maxSize: number
  /** Ends the trace when aborted. */
  readonly signal?: AbortSignal | undefined
}

interface TracedExecution extends Pick<TraceContext, 'tx' | 'block' | 'location' | 'logCount'> {
  readonly run: () => Execution | Promise<Execution>
}

export interface Traced {
  /** JSON text in pieces. */
  readonly trace: readonly string[]
  readonly execution: Execution
}

export class TraceRun {
  readonly #options: TraceOptions
  readonly #budget: TraceBudget
  /** Lets others run between short traces, each of which begins a slice of its own. */
  readonly #pacer = new Scheduler()

  constructor(options: TraceOptions) {
    this.#options = options
    this.#pacer.begin({ signal: options.signal })
    this.#budget = new TraceBudget(options.maxSize)
  }

  /**
   * Runs `work`, which calls {@link trace}, and turns its errors into those that a client gets.
   *
   * @throws {LimitError} if the trace is too large
   * @throws {ExecutionAbortedError} if the client hung up
   * @throws {RefusedError} if it takes longer than its timeout, or a transaction is invalid
   */
  async guard<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ImpossibleTransactionError) {
        throw new RefusedError(error.message, { cause: error })
      }
      if (!(error instanceof ExecutionAbortedError)) throw error
      if (this.#budget.left < 0) {
        throw new LimitError(
          `the trace is larger than ${this.#budget.limit} bytes; record less (limit: steps of struct logs after ` +
            'which no more are recorded, disableStack, disableStorage, or another tracer, such as ' +
            'callTracer with onlyTopCall), or start the node with a larger --max-trace-size',
        )
      }
      if (this.#options.signal?.aborted === true) throw error
      throw new RefusedError(
        `execution timeout: the trace took longer than ${this.#options.timeout} ms; give it more, such as {"timeout": "60s"}`,
      )
    }
  }

  /** Traces one execution on the machine of `lease`; to be called inside {@link guard}. */
  async trace({ executor, machine }: MachineLease, execution: TracedExecution): Promise<Traced> {
    const { signal, timeout } = this.#options
    const pause = this.#pacer.yieldIfDue()
    if (pause !== undefined) await pause
    const { run, ...context } = execution
    const { rules, crypto } = executor
    // Includes signers whose authorizations do not apply, unless the signature is invalid.
    const signers = context.tx.authorizationList.flatMap(
      (item) => authorizationSigner(item, crypto) ?? [],
    )
    const traced = { ...context, rules, keccak256: crypto.keccak256, signers }
    machine.scheduler.begin({ signal, timeout })
    try {
      return (
        (await this.#traceLightly(machine, traced, run)) ??
        (await this.#traceInLibrary(machine, traced, run))
      )
    } finally {
      machine.scheduler.begin({ signal })
    }
  }

  /** The trace by the fast engine; `undefined` if that does not know enough for it. */
  async #traceLightly(
    machine: Machine,
    context: ExecutionContext,
    run: TracedExecution['run'],
  ): Promise<Traced | undefined> {
    const { left } = this.#budget
    const tracer = createTracer(this.#options.tracer, this.#budget)
    const execution = await traceLightly(machine, tracer, context, run)
    if (execution !== undefined) return await this.#result(machine, tracer, execution, context)
    this.#budget.left = left
    return undefined
  }

  async #traceInLibrary(
    machine: Machine,
    context: ExecutionContext,
    run: TracedExecution['run'],
  ): Promise<Traced> {
    const tracer = createTracer(this.#options.tracer, this.#budget)
    const { precompiles } = (await machine.library()).evm
    // Imported only now: it loads the library.
    const { EvmTrace } = await import('./evmTrace.ts')
    const trace = new EvmTrace(machine, tracer, {
      ...context,
      state: machine.overlay,
      isPrecompile: (address) => precompiles.has(toHex(address).slice(2)),
    })
    trace.begin()
    try {
      return await this.#result(machine, tracer, await run(), context)
    } finally {
      trace.end()
    }
  }

  async #result(
    machine: Machine,
    tracer: Tracer,
    execution: Execution,
    { tx }: ExecutionContext,
  ): Promise<Traced> {
    // The frame that a deposit would have opened.
    if (execution.isUnopened === true) {
      reportTopFrame(tracer, tx, { ...execution, createdAddress: undefined })
    }
    tracer.end?.(execution)
    return { trace: await runPaced(tracer.result(), machine.scheduler), execution }
  }
}
