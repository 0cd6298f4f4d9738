import type { Chain } from '../chain/chain.ts'
import type { WriteJob } from '../chain/writeJob.ts'
import { RefusedError } from '../primitives/errors.ts'
import { MAX_TIMER_DELAY } from '../primitives/timers.ts'
import { BlockWork } from './blockWork.ts'
import type { ClockState } from './clockState.ts'

/** Queues a job on the chain whenever a clock is due or a transaction arrives. */
export class ClockDriver {
  readonly chain: Chain
  readonly work: BlockWork
  readonly #state: ClockState
  readonly #budget: number
  readonly #onError: (error: unknown) => void
  readonly #endings: readonly (() => void)[]
  #running = true
  #timer: NodeJS.Timeout | undefined
  /** Whether a job for what is due waits on the queue. */
  #isDueQueued = false
  /** Resolves after the newest such job. */
  #dueDone: Promise<void> = Promise.resolve()
  #arrivals: Promise<void> = Promise.resolve()
  /** How many jobs for {@link arrivals} wait on the queue. */
  #arriving = 0

  /**
   * @param parameters.budget - ms after which a tick of the clock begins no further transaction
   */
  constructor(parameters: {
    chain: Chain
    state: ClockState
    budget: number
    onError: (error: unknown) => void
  }) {
    const { chain, state } = parameters
    this.chain = chain
    this.work = new BlockWork(state, chain, () => this.yieldToOthers())
    this.#state = state
    this.#budget = parameters.budget
    this.#onError = parameters.onError
    this.#endings = [
      chain.onRunnable((count) => this.#onArrival(count)),
      chain.onWrite(() => this.#onWrite()),
    ]
    this.arm()
  }

  stop(): void {
    this.#running = false
    clearTimeout(this.#timer)
    for (const end of this.#endings) end()
  }

  /** If arrivals are executed, resolves when those so far are executed or found to have to wait. */
  get arrivals(): Promise<void> {
    return this.#arrivals
  }

  /** Lets requests in between the steps of a long command, and ends it when the node stops. */
  async yieldToOthers(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve))
    if (!this.#running) throw new RefusedError('The node was stopped')
  }

  /** Sets the timer for whichever clock is due next. */
  arm(): void {
    clearTimeout(this.#timer)
    if (!this.#running) return
    const { now, ticks, seals } = this.#state
    const nexts = [ticks, seals]
      .filter((timer) => timer.running && timer.interval > 0)
      .map((timer) => timer.next(now))
    if (nexts.length === 0) return
    const delay = Math.max(0, Math.min(...nexts) - now)
    this.#timer = setTimeout(() => void this.#runDue(), Math.min(delay, MAX_TIMER_DELAY)).unref()
  }

  /** Queues one job for whatever is due, unless one waits already: a late tick never runs twice. */
  #runDue(): Promise<void> {
    if (this.#isDueQueued || !this.#running) return this.#dueDone
    this.#isDueQueued = true
    this.#dueDone = this.#queue(async (job) => {
      this.#isDueQueued = false
      const { ticks, seals, now } = this.#state
      const isTickDue = ticks.isDue(now)
      if (isTickDue) ticks.step(now)
      if (isTickDue || this.#state.ticksOnArrival) await this.work.tick(job, this.#budget)
      if (seals.isDue(now)) await this.work.seal(job, { isDue: true })
    })
    return this.#dueDone
  }

  /** In instant mode and with tick interval 0, each transaction is executed on arrival. */
  #onArrival(count: number): void {
    if (this.#state.instant) this.#sealArrivals(count)
    else if (this.#state.ticksOnArrival) this.#arrivals = this.#runDue()
  }

  /** Retries what could not be executed on arrival, once something has changed. */
  #onWrite(): void {
    if (this.#arriving === 0 && this.work.canExecute) {
      this.#onArrival(this.chain.mempool.runnableCount)
    }
  }

  /** One job per arrival, so that commands sent between two of them run between them. */
  #sealArrivals(count: number): void {
    this.#arriving++
    this.#arrivals = this.#queue(async (job) => {
      this.#arriving--
      if (this.#state.instant) await this.work.sealEach(job, count)
    })
  }

  async #queue(run: (job: WriteJob) => Promise<void>): Promise<void> {
    try {
      await this.chain.writeNow(run)
    } catch (error) {
      // A failure because the node stops is not an internal error.
      if (this.#running) this.#onError(error)
    } finally {
      this.arm()
    }
  }
}
