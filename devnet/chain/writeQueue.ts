import { SerialQueue } from '../primitives/serialQueue.ts'
import { nodeStopped } from './building/blockFiller.ts'
import { dryRun, type Replacement } from './building/dryRun.ts'
import { AwaitedError, type WarmUps } from './building/warmUps.ts'
import type { ChainState } from './chainState.ts'

/**
 * Runs the jobs that change a chain one at a time, first in, first out. On a forked chain, a
 * command that lacks a value of the upstream leaves its turn to the jobs of the clocks, but not to
 * other commands.
 */
export class WriteQueue {
  readonly #state: ChainState
  readonly #warmUps: WarmUps
  readonly #onEnd: () => void
  readonly #queue = new SerialQueue()
  /** The command that has left its turn. */
  #aside: Promise<void> | undefined

  /** @param onEnd - called within each job when it has ended, also with an error */
  constructor(state: ChainState, warmUps: WarmUps, onEnd: () => void) {
    this.#state = state
    this.#warmUps = warmUps
    this.#onEnd = onEnd
  }

  /**
   * Queues a job of the clocks, or any on a chain that is not a fork.
   *
   * @param before - awaited in the job's turn, before it begins. Default: nothing
   * @throws {RefusedError}
   */
  run<Result>(job: () => Result | Promise<Result>, before?: Promise<void>): Promise<Result> {
    if (before === undefined) return this.#queue.run(() => this.#take(job))
    return this.#queue.run(() => before.then(() => this.#take(job)))
  }

  /**
   * Queues a command, behind the one that has left its turn, if there is one then.
   *
   * @throws {RefusedError}
   */
  command<Result>(job: () => Result | Promise<Result>): Promise<Result> {
    return this.#queue.run(async () => {
      for (let aside = this.#aside; aside !== undefined; aside = this.#aside) {
        const ended = aside
        await this.#queue.stepAside(() => ended)
      }
      return await this.#take(job)
    })
  }

  async #take<Result>(job: () => Result | Promise<Result>): Promise<Result> {
    if (this.#state.closing.signal.aborted) throw nodeStopped()
    try {
      return await job()
    } finally {
      this.#onEnd()
    }
  }

  /**
   * To be called by the job that runs: does a part of it; again, once the upstream has given a
   * value that it lacks.
   *
   * @throws {RefusedError}
   */
  async onceKnown<Result>(run: () => Promise<Result>): Promise<Result> {
    let ended: PromiseWithResolvers<void> | undefined
    try {
      for (;;) {
        try {
          return await run()
        } catch (error) {
          if (!(error instanceof AwaitedError)) throw error
          ended ??= Promise.withResolvers()
          this.#aside = ended.promise
          await this.#queue.stepAside(() => this.#warmUps.awaited(error))
          if (this.#state.closing.signal.aborted) throw nodeStopped()
        }
      }
    } finally {
      // A job of the clocks may have replaced it meanwhile.
      if (ended !== undefined && this.#aside === ended.promise) this.#aside = undefined
      ended?.resolve()
    }
  }

  /** As {@link onceKnown}, of what executes transactions in place of what it has taken back. */
  dryRunFirst<Result>(replacement: () => Replacement, run: () => Promise<Result>): Promise<Result> {
    if (this.#state.origin === undefined) return run()
    let hasFailed = false
    return this.onceKnown(async () => {
      if (!hasFailed) {
        await dryRun(replacement(), this.#state, () => {
          hasFailed = true
        })
      }
      return await run()
    })
  }

  /** Resolves when no job is running or queued. */
  idle(): Promise<void> {
    return this.#queue.idle()
  }
}
