import type { Chain } from '../chain/chain.ts'
import type { ChainBase } from '../chain/chainBase.ts'
import type { Schedule } from '../chain/chainWork.ts'
import type { WriteJob } from '../chain/writeJob.ts'
import type { SavedClock } from '../persistence/dump/dumpText.ts'
import { InvalidParamsError, RefusedError } from '../primitives/errors.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { BlockWork } from './blockWork.ts'
import { ClockDriver } from './clockDriver.ts'
import { ClockState, type ClockStateParameters } from './clockState.ts'
import type { IntervalRange, IntervalTimer } from './intervalTimer.ts'

/** The timestamp is before the newest sealed block's, or equals it against the options. */
export class TimestampError extends RefusedError {
  override name = 'TimestampError'
  constructor(timestamp: number, parent: number) {
    super(
      // hardhat's words.
      timestamp < parent
        ? `Timestamp ${timestamp} is lower than the previous block's timestamp ${parent}`
        : `Timestamp ${timestamp} is equal to the previous block's timestamp. Enable the 'allowBlocksWithSameTimestamp' option to allow this`,
    )
  }
}

interface ClocksParameters extends ClockStateParameters {
  /** ms after which a tick of the clock begins no further transaction. */
  readonly tickBudget: number
  readonly allowBlocksWithSameTimestamp: boolean
  /** s at which virtual time starts, and again after a reset. Default: the wall clock's time. */
  readonly timestamp: number | undefined
}

/** The tick clock and the sealing clock. Each command is a job on the chain's write queue. */
export class Clocks implements Schedule {
  readonly #parameters: ClocksParameters
  readonly #state: ClockState
  /** Puts the clocks back to the start, or to the last {@link restore}. */
  #restart: () => void
  readonly #onError: (error: unknown) => void
  #driver: ClockDriver | undefined

  constructor(parameters: ClocksParameters, onError: (error: unknown) => void) {
    this.#parameters = parameters
    this.#state = new ClockState(parameters)
    this.#restart = this.#state.snapshot()
    this.#onError = onError
  }

  /** Virtual time, in ms since the epoch. */
  get now(): number {
    return this.#state.now
  }

  get ticks(): Readonly<Pick<IntervalTimer, 'interval' | 'running' | 'next'>> {
    return this.#state.ticks
  }

  get seals(): Readonly<Pick<IntervalTimer, 'interval' | 'running' | 'next'>> {
    return this.#state.seals
  }

  /** Whether each transaction is pre-confirmed and sealed at once. */
  get instant(): boolean {
    return this.#state.instant
  }

  /** Tick interval 0: each transaction is pre-confirmed on arrival. */
  get ticksOnArrival(): boolean {
    return !this.instant && this.#state.ticksOnArrival
  }

  /**
   * In instant mode and with {@link ticksOnArrival}, resolves when all arrivals so far are executed
   * or found to have to wait.
   */
  get arrivals(): Promise<void> {
    return this.#requireDriver().arrivals
  }

  get equalTimestamps(): boolean {
    const isFast = !this.instant && this.seals.interval < 1000
    return isFast || this.#parameters.allowBlocksWithSameTimestamp
  }

  sealTime(): number {
    return this.instant ? this.now : this.seals.next(this.now)
  }

  /** Starts ticking and sealing `chain`. The timers do not keep the process alive. */
  start(chain: Chain): void {
    this.#state.syncTime()
    this.#driver = new ClockDriver({
      chain,
      state: this.#state,
      budget: this.#parameters.tickBudget,
      onError: this.#onError,
    })
  }

  stop(): void {
    this.#driver?.stop()
  }

  /** Freezes sealing, and ticks too with `ticks`; leaves instant mode. With both, time stops. */
  freeze(options: { ticks?: boolean } = {}): Promise<void> {
    return this.#write(() => this.#state.freeze(options.ticks === true))
  }

  /** Resumes both clocks, or instant mode, without a jump in time. */
  resume(): Promise<void> {
    return this.#write(async (job, work) => {
      this.#state.resume()
      if (this.instant) await work.sealAll(job)
    })
  }

  /**
   * Enters instant mode, sealing what waits, or leaves it: then only ticks continue, and sealing at
   * an interval that a command asked for.
   */
  setAutomine(enabled: boolean): Promise<void> {
    return this.#write(async (job, work) => {
      this.#state.setAutomine(enabled)
      if (this.instant) await work.sealAll(job)
    })
  }

  /**
   * Runs the sealing clock at this interval from now on, frozen or not; `undefined`: stops it.
   *
   * @param range - ms, at least 1
   * @param options.exclusive - leaves instant mode. Default: false
   */
  setSealInterval(
    range: IntervalRange | undefined,
    options: { exclusive?: boolean } = {},
  ): Promise<void> {
    return this.#write(async (job) => {
      if (options.exclusive === true) this.#state.setAutomine(false)
      this.#state.setSealInterval(range)
      const { executed } = this.#requireDriver().chain.pending
      if (range !== undefined && executed.length === 0) await job.reschedule()
    })
  }

  /** `count` tick intervals with a tick each; seals only if sealing runs and is due. */
  advanceTicks(count: number): Promise<void> {
    return this.#write(async (job, work) => {
      for (let index = 0; index < count; index++) {
        this.#state.advance(this.#state.ticks)
        await work.tick(job)
        if (this.#state.seals.isDue(this.now)) await work.seal(job, { isDue: true })
        await this.#requireDriver().yieldToOthers()
      }
    })
  }

  /** `count` times: a tick, time plus one seal interval, a seal. */
  advanceBlocks(count: number): Promise<void> {
    return this.#write(async (job, work) => {
      for (let index = 0; index < count; index++) {
        await job.tick()
        this.#state.advance(this.#state.seals)
        await work.refresh(job)
        await work.seal(job)
        await this.#requireDriver().yieldToOthers()
      }
    })
  }

  /** Seals the pending block as it is, without a tick before. */
  seal(): Promise<SealedBlock> {
    return this.#write(async (job, work) => {
      await work.refresh(job)
      return work.seal(job)
    })
  }

  /**
   * Ticks, then seals, `count` times.
   *
   * @param options.timestamp - s; of the first block, or a function called when the job runs.
   *   Default: that of the pending block
   * @param options.interval - s between the blocks. Default: the seal interval
   * @throws {TimestampError} if the newest sealed block is not older than `timestamp`
   */
  tickAndSeal(
    count: number,
    options: {
      timestamp?: number | (() => number) | undefined
      interval?: number | undefined
    } = {},
  ): Promise<SealedBlock> {
    const { timestamp, interval } = options
    return this.#write(async (job, work) => {
      const chain = this.#requireDriver().chain
      if (timestamp === undefined) await work.refresh(job)
      else {
        const first = typeof timestamp === 'number' ? timestamp : timestamp()
        await this.#chooseTimestamp(job, first)
      }
      let block = chain.head
      for (let index = 0; index < count; index++) {
        if (index === 0 || chain.mempool.runnableCount > 0) await job.tick()
        const last = index === count - 1
        block = await work.seal(job, {
          nextTimestamp:
            last || interval === undefined
              ? undefined
              : Number(chain.pending.environment.timestamp) + interval,
        })
        await work.yieldAfterBlock()
      }
      return block
    })
  }

  /**
   * Gives the pending block this timestamp; virtual time jumps there when it is sealed.
   *
   * @param timestamp - s since the epoch
   * @throws {TimestampError} if the newest sealed block is not older
   */
  setNextTimestamp(timestamp: number): Promise<void> {
    return this.#write((job) => this.#chooseTimestamp(job, timestamp))
  }

  async #chooseTimestamp(job: WriteJob, timestamp: number): Promise<void> {
    this.#checkTimestamp(timestamp)
    this.#state.expectedTimestamp = timestamp
    await job.overrideNext({ timestamp: BigInt(timestamp) })
  }

  #checkTimestamp(timestamp: number): void {
    const parent = Number(this.#requireDriver().chain.head.header.timestamp)
    if (timestamp < parent || (timestamp === parent && !this.equalTimestamps)) {
      throw new TimestampError(timestamp, parent)
    }
  }

  /**
   * Moves virtual time, and the pending block with it, unless a command chose that block's
   * timestamp: then time jumps there when it is sealed, as in EDR and anvil.
   *
   * @param seconds - at least 0
   * @returns the sum of all such moves, in s
   */
  increaseTime(seconds: number): Promise<number> {
    return this.#write(async (job, work) => {
      await work.refresh(job)
      const { pending, settings } = this.#requireDriver().chain
      const { timestamp } = pending.environment
      if (this.#state.expectedTimestamp !== undefined) return this.#state.increase(seconds)
      if (this.instant && settings.timestampInterval === undefined) {
        // The block keeps following virtual time, which may be slightly behind it.
        this.#state.catchUp(Number(timestamp))
        const total = this.#state.increase(seconds)
        await job.reschedule()
        return total
      }
      const total = this.#state.increase(seconds)
      await job.overrideNext({ timestamp: timestamp + BigInt(seconds) })
      return total
    })
  }

  /**
   * Moves virtual time to `timestamp`, forward or back, and the pending block's with it.
   *
   * @param timestamp - s since the epoch
   * @returns by how many s it moved forward; 0 if it moved back
   * @throws {TimestampError} if the newest sealed block is not older
   */
  setTime(timestamp: number): Promise<number> {
    return this.#write(async (job) => {
      this.#checkTimestamp(timestamp)
      const before = Math.floor(this.now / 1000)
      this.#state.setTime(timestamp * 1000)
      // Virtual time is there already, and need not jump at the seal.
      this.#state.expectedTimestamp = undefined
      if (this.instant) await job.reschedule({ always: true })
      else await job.overrideNext({ timestamp: BigInt(timestamp) })
      return Math.max(0, timestamp - before)
    })
  }

  /** In instant mode, after earlier sends are sealed, gives an empty block the present time. */
  refresh(): Promise<void> {
    return this.#write((job, work) => work.refresh(job))
  }

  /** Resets chain, clocks and instant mode; and time, if it was given. @throws {ResetError} */
  reset(): Promise<void> {
    return this.#write((job) =>
      job.reset(() => {
        this.#restart()
        const { timestamp, start } = this.#parameters
        const followsWall = timestamp === undefined && (this.ticks.running || this.seals.running)
        if (followsWall) this.#state.setTime(Math.max(start, Date.now()))
      }),
    )
  }

  save(): SavedClock {
    return this.#state.save()
  }

  /**
   * Continues virtual time from where it was saved; a reset returns here. Before the start, or
   * through {@link load}.
   *
   * @param saved - default: wall time, or `earliest` if that is later
   * @param earliest - s since the epoch
   */
  restore(saved: SavedClock | undefined, earliest: number): void {
    this.#state.load(saved, earliest)
    this.#restart = this.#state.snapshot()
  }

  /** Replaces the chain by another one, and its time; see {@link restore}. */
  load(base: ChainBase, saved: SavedClock | undefined): Promise<void> {
    return this.#write(async (job) => {
      this.restore(saved, Number(base.history.head.header.timestamp))
      await job.load(base)
    })
  }

  /** Returns a function that restores both clocks to this moment. */
  snapshot(): () => void {
    const restore = this.#state.snapshot()
    return () => {
      restore()
      this.#driver?.arm()
    }
  }

  #write<Result>(
    run: (job: WriteJob, work: BlockWork) => Result | Promise<Result>,
  ): Promise<Result> {
    const driver = this.#requireDriver()
    return driver.chain.write(async (job) => {
      try {
        return await run(job, driver.work)
      } finally {
        driver.arm()
      }
    })
  }

  #requireDriver(): ClockDriver {
    if (this.#driver === undefined) throw new Error('The clocks have not been started')
    return this.#driver
  }
}

/** Most ticks or blocks of one command. */
export const MAX_ADVANCE = 1_000_000

/**
 * Does what `preconf_advance` does, for a program in this process, which may not check types.
 *
 * @throws {InvalidParamsError} unless `by` has either ticks or blocks, 1 to {@link MAX_ADVANCE}
 */
export function advance(
  clocks: Pick<Clocks, 'advanceTicks' | 'advanceBlocks'>,
  by: { readonly ticks: number } | { readonly blocks: number },
): Promise<void> {
  const { ticks, blocks }: { ticks?: number; blocks?: number } = by ?? {}
  const count = ticks ?? blocks
  if (count === undefined || (ticks !== undefined && blocks !== undefined)) {
    throw new InvalidParamsError('advance: want either ticks or blocks, such as { ticks: 1 }')
  }
  const name = ticks === undefined ? 'blocks' : 'ticks'
  if (!Number.isInteger(count) || count < 1 || count > MAX_ADVANCE) {
    throw new InvalidParamsError(`advance: ${name}: want an integer from 1 to ${MAX_ADVANCE}`)
  }
  return ticks === undefined ? clocks.advanceBlocks(count) : clocks.advanceTicks(count)
}
