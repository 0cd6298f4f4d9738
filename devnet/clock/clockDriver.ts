import type { Chain } from '../chain/chain.ts'
import type { WriteJob } from '../chain/writeJob.ts'
import { RefusedError } from '../primitives/errors.ts'
import { MAX_TIMER_DELAY } from '../primitives/timers.ts'
import { BlockWork } from './blockWork.ts'
import type { ClockState } from './clockState.ts'

/** Takes a turn of the chain's queue whenever a beat of the wall clock or an arrival in the mempool asks for it. */
export class ClockDriver {
  readonly chain: Chain
  readonly work: BlockWork
  readonly #state: ClockState
  readonly #budget: number
  readonly #onError: (error: unknown) => void
  readonly #endings: readonly (() => void)[]
  #running = true
  #timer: NodeJS.Timeout | undefined
  /** A beat waits on the queue. */
  #beating = false
  /** Resolves after the newest beat. */
  #beaten: Promise<void> = Promise.resolve()
  #arrivals: Promise<void> = Promise.resolve()
  /** How many turns for {@link arrivals} wait on the queue. */
  #arriving = 0

  /**
   * @param parameters.budget - ms after which a tick of the wall clock begins no further transaction
   */
  constructor(parameters: {
    chain: Chain
    state: ClockState
    equalTimestamps: () => boolean
    budget: number
    onError: (error: unknown) => void
  }) {
    const { chain, state, equalTimestamps } = parameters
    this.chain = chain
    this.work = new BlockWork({
      state,
      chain,
      equalTimestamps,
      yieldToOthers: () => this.yieldToOthers(),
    })
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

  /** Where arrivals are executed, resolves when what has arrived so far is, or has turned out to have to wait. */
  get arrivals(): Promise<void> {
    return this.#arrivals
  }

  /** Lets requests in between the steps of a long command, and ends it when the node stops. */
  async yieldToOthers(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve))
    if (!this.#running) throw new RefusedError('The node was stopped')
  }

  /** Sets the timer for the next beat of either clock. */
  arm(): void {
    clearTimeout(this.#timer)
    if (!this.#running) return
    const { now, ticks, seals } = this.#state
    const nexts = [ticks, seals]
      .filter((beat) => beat.running && beat.interval > 0)
      .map((beat) => beat.next(now))
    if (nexts.length === 0) return
    const delay = Math.max(0, Math.min(...nexts) - now)
    this.#timer = setTimeout(() => void this.#beat(), Math.min(delay, MAX_TIMER_DELAY)).unref()
  }

  /** Takes one turn for whatever is due. A beat that comes while one waits is the same one: late, never twice. */
  #beat(): Promise<void> {
    if (this.#beating || !this.#running) return this.#beaten
    this.#beating = true
    this.#beaten = this.#take(async (job) => {
      this.#beating = false
      const { ticks, seals, now } = this.#state
      const due = ticks.isDue(now)
      if (due) ticks.step(now)
      if (due || this.#state.ticksOnArrival) await this.work.tick(job, this.#budget)
      if (seals.isDue(now)) await this.work.seal(job, { due: true })
    })
    return this.#beaten
  }

  /** Instant mode, and tick interval 0: each transaction is executed on arrival. */
  #onArrival(count: number): void {
    if (this.#state.instant) this.#sealArrivals(count)
    else if (this.#state.ticksOnArrival) this.#arrivals = this.#beat()
  }

  /** What could not be executed on arrival is tried again when something has changed. */
  #onWrite(): void {
    if (this.#arriving === 0 && this.work.canExecute) {
      this.#onArrival(this.chain.mempool.runnableCount)
    }
  }

  /** A turn of its own for each arrival: what was asked for between two of them comes between them. */
  #sealArrivals(count: number): void {
    this.#arriving++
    this.#arrivals = this.#take(async (job) => {
      this.#arriving--
      if (this.#state.instant) await this.work.sealEach(job, count)
    })
  }

  async #take(run: (job: WriteJob) => Promise<void>): Promise<void> {
    try {
      await this.chain.writeNow(run)
    } catch (error) {
      // What fails because the node stops is no defect.
      if (this.#running) this.#onError(error)
    } finally {
      this.arm()
    }
  }
}
