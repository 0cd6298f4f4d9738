import { nodeStopped } from '../chain/building/blockFiller.ts'
import type { Chain } from '../chain/chain.ts'
import type { ChainWriter } from '../chain/chainWriter.ts'
import { takeTurn } from '../engine/scheduler.ts'
import { MAX_TIMER_DELAY } from '../primitives/timers.ts'
import { BlockWork } from './blockWork.ts'
import type { ClockState } from './clockState.ts'

/** A queued job that takes what waits; callers share it until something else could run. */
interface Taking {
  /** Resolves within the job: whether the block was sealed early, so that more can be taken. */
  readonly done: Promise<boolean>
  /** The mempool's revision when the job began; `undefined` before. */
  began: number | undefined
}

/** Queues a job on the chain for a command, and if a clock is due or a transaction arrives. */
export class ClockDriver {
  readonly chain: Chain
  readonly work: BlockWork
  readonly #state: ClockState
  readonly #budget: number
  readonly #onError: (error: unknown) => void
  readonly #endings: readonly (() => void)[]
  #running = true
  #timer: NodeJS.Timeout | undefined
  /** True if a job queued by `#runDue` has not begun yet. */
  #isDueQueued = false
  /** Resolves after the newest job queued by `#runDue`. */
  #dueDone: Promise<void> = Promise.resolve()
  #arrivals: Promise<void> = Promise.resolve()
  /** Number of jobs queued by `#sealArrivals` that have not begun yet. */
  #arriving = 0
  #taking: Taking | undefined

  /**
   * @param parameters.budget - ms after which a tick begins no further transaction; ticks that a
   *   command runs have no limit
   */
  constructor(parameters: {
    chain: Chain
    state: ClockState
    budget: number
    onError: (error: unknown) => void
  }) {
    const { chain, state } = parameters
    this.chain = chain
    this.work = new BlockWork(state, chain, () => this.#yieldToOthers())
    this.#state = state
    this.#budget = parameters.budget
    this.#onError = parameters.onError
    this.#endings = [
      chain.events.runnable.add((count) => this.#onArrival(count)),
      chain.events.written.add(() => this.#onWrite()),
    ]
    this.arm()
  }

  stop(): void {
    this.#running = false
    clearTimeout(this.#timer)
    for (const end of this.#endings) end()
  }

  /** In modes that execute on arrival, resolves once every arrival so far was executed or tried. */
  get arrivals(): Promise<void> {
    return this.#arrivals
  }

  /** Lets requests run between the steps of a long command; rejects once the node has stopped. */
  async #yieldToOthers(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve))
    if (!this.#running) throw nodeStopped()
  }

  /** Sets the timer for whichever clock is due next. */
  arm(): void {
    clearTimeout(this.#timer)
    if (!this.#running) return
    const { faults, lateTick = Number.POSITIVE_INFINITY, now, ticks, seals } = this.#state
    const nexts = [lateTick]
    if (ticks.running && ticks.interval > 0) nexts.push(ticks.next(now))
    if (seals.running && seals.interval > 0) {
      nexts.push(Math.max(seals.next(now), faults?.lateSeal(now) ?? 0))
    }
    const next = Math.min(...nexts)
    if (next === Number.POSITIVE_INFINITY) return
    const delay = Math.max(0, next - now)
    const due = () => takeTurn(() => void this.#runDue())
    this.#timer = setTimeout(due, Math.min(delay, MAX_TIMER_DELAY)).unref()
  }

  /** Queues one job for whatever is due, unless one is queued: a late tick never runs twice. */
  #runDue(): Promise<void> {
    if (this.#isDueQueued || !this.#running) return this.#dueDone
    this.#isDueQueued = true
    this.#dueDone = this.#queue(async (writer) => {
      this.#isDueQueued = false
      const { ticks, now } = this.#state
      const isTickDue = ticks.isDue(now)
      if (isTickDue) ticks.step(now)
      const { lateTick = Number.POSITIVE_INFINITY, ticksOnArrival } = this.#state
      if (isTickDue || now >= lateTick || ticksOnArrival) {
        await this.work.tick(writer, { budget: this.#budget, isSliced: true })
      }
      await this.work.sealIfDue(writer)
    })
    return this.#dueDone
  }

  /** In instant mode and with tick interval 0, each transaction is executed on arrival. */
  #onArrival(count: number): void {
    if (this.#state.instant) this.#sealArrivals(count)
    else if (this.#state.ticksOnArrival) this.#arrivals = this.#runDue()
  }

  /** Retries transactions that could not be executed on arrival, once the state has changed. */
  #onWrite(): void {
    if (this.#arriving === 0 && !this.#state.collecting && this.work.isWorthARetry) {
      if (this.#state.instant) this.#sealArrivals(this.chain.mempool.runnableCount, 'each')
      else if (this.#state.ticksOnArrival) this.#arrivals = this.#runDue()
    }
  }

  /**
   * Queues a job per arrival: a command sent between two transactions runs between them. What
   * waited behind a nonce gap shares the block of the transaction that closes it, as on Hardhat's
   * network and on anvil. What waited for something else has a block of its own.
   */
  #sealArrivals(count: number, blocks: 'one' | 'each' = 'one'): void {
    this.#arriving++
    this.#arrivals = this.#queue(async (writer) => {
      this.#arriving--
      if (!this.#state.instant) return
      // Leaves out transactions that lack upstream values: they arrive again once these are there.
      const limits = { isWhole: false }
      if (this.#state.collecting) await this.work.sealAll(writer, limits)
      else if (blocks === 'each') await this.work.sealEach(writer, count, limits)
      else await this.work.sealAll(writer, { ...limits, most: count })
    })
  }

  /**
   * Pre-confirms all that waits and can run, in one tick that calls at the same time share. What
   * does not fit into the block follows in the next ones, if sealing runs.
   *
   * @param signal - ends the wait, and with it further ticks
   */
  async takeWaiting(signal: AbortSignal): Promise<void> {
    if (!this.work.canTakeMore) return
    while (await this.#take()) if (signal.aborted) return
  }

  #take(): Promise<boolean> {
    const { mempool } = this.chain
    const { revision } = mempool
    // A job that has begun may have missed transactions that arrived later.
    if (this.#taking !== undefined && (this.#taking.began ?? revision) === revision) {
      return this.#taking.done
    }
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const taking: Taking = { done: promise, began: undefined }
    this.#taking = taking
    const job = this.write(async (writer) => {
      taking.began = mempool.revision
      // Resolved here, not after the job, so that callers read before the next job begins.
      resolve(await this.work.takeMore(writer))
    })
    job.catch(reject).finally(() => {
      if (this.#taking === taking) this.#taking = undefined
    })
    return promise
  }

  /** Queues a command, behind what was sent before. */
  write<Result>(run: (writer: ChainWriter) => Result | Promise<Result>): Promise<Result> {
    const write = () =>
      this.chain.write(async (writer) => {
        try {
          return await run(writer)
        } finally {
          this.arm()
        }
      })
    const arrived = this.chain.arrived()
    return arrived === undefined ? write() : arrived.then(write)
  }

  async #queue(run: (writer: ChainWriter) => Promise<void>): Promise<void> {
    try {
      await this.chain.writeNow(run)
    } catch (error) {
      // If the node is stopping, a failure is not an internal error.
      if (this.#running) this.#onError(error)
    } finally {
      this.arm()
    }
  }
}
