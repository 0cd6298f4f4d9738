import { isEmptyBlock, type PendingView } from '../chain/building/pendingView.ts'
import type { Chain } from '../chain/chain.ts'
import type { ChainBase } from '../chain/chainBase.ts'
import type { Schedule } from '../chain/chainWork.ts'
import type { ChainWriter } from '../chain/chainWriter.ts'
import type { Reorg, ReorgRequest } from '../chain/reorg.ts'
import type { Faults } from '../faults/faults.ts'
import type { SavedClock } from '../persistence/dump/dumpText.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { BlockWork } from './blockWork.ts'
import { ClockDriver } from './clockDriver.ts'
import { ClockState, type ClockStateParameters } from './clockState.ts'
import type { IntervalRange, IntervalTimer } from './intervalTimer.ts'
import { advanceBlocks, sealApart, sealSeries } from './sealSeries.ts'
import { chooseTimestamp, increaseTime, setTime } from './timeCommands.ts'

interface ClocksParameters extends ClockStateParameters {
  /** ms after which a tick begins no further transaction; ticks by command have no limit. */
  readonly tickBudget: number
  /** s since the epoch at which virtual time starts, also after a reset. Default: wall time. */
  readonly timestamp: number | undefined
}

/** The tick clock and the sealing clock. Each command is a job on the chain's write queue. */
export class Clocks implements Schedule {
  readonly #parameters: ClocksParameters
  readonly #state: ClockState
  /** Sets the clocks back to the start, or to the state that {@link restore} last loaded. */
  #restart: (to?: ClockState) => void
  readonly #onError: (error: unknown) => void
  /** True if time follows the wall after a reset. On a fork it goes on from the fork block. */
  #followsWall: boolean
  #driver: ClockDriver | undefined

  constructor(parameters: ClocksParameters, onError: (error: unknown) => void) {
    this.#parameters = parameters
    this.#followsWall = parameters.timestamp === undefined
    this.#state = new ClockState(parameters)
    this.#restart = this.#state.snapshot()
    this.#onError = onError
  }

  /**
   * Clocks for a branch of the chain, which begin as these are now. Rules of faults are not taken
   * over.
   */
  branch(): Clocks {
    const clocks = new Clocks(this.#parameters, this.#onError)
    this.#state.snapshot()(clocks.#state)
    clocks.#restart = (to = clocks.#state) => this.#restart(to)
    clocks.#followsWall = this.#followsWall
    return clocks
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

  /** True if each transaction is pre-confirmed and sealed at once. */
  get instant(): boolean {
    return this.#state.instant
  }

  /** True if transactions wait for a block, as on Hardhat's network without automine. */
  get collecting(): boolean {
    return this.#state.collecting
  }

  /** True if each transaction is pre-confirmed, but not sealed, on arrival: tick interval 0. */
  get ticksOnArrival(): boolean {
    return !this.instant && this.#state.ticksOnArrival
  }

  /** Rules by which ticks, seals and answers fail; `undefined` as long as there are none. */
  get faults(): Faults | undefined {
    return this.#state.faults
  }

  /** Replaces the rules of faults, once what is under way is done. What they held is free again. */
  setFaults(faults: Faults | undefined): Promise<void> {
    const driver = this.#requireDriver()
    // Not queued as a command: it must not wait for jobs that an upstream holds up.
    return driver.chain.writeNow(() => {
      this.#state.faults = faults
      driver.chain.mempool.touch()
      driver.arm()
    })
  }

  /**
   * In instant mode and with {@link ticksOnArrival}, resolves once every transaction that has
   * arrived so far was executed or tried.
   */
  get arrivals(): Promise<void> {
    return this.#requireDriver().arrivals
  }

  get equalTimestamps(): boolean {
    return this.#state.equalTimestamps
  }

  sealTime(): number {
    return this.#state.stampsNow ? this.#state.second * 1000 : this.seals.next(this.now)
  }

  /** Starts ticking and sealing `chain`. The timers do not keep the process alive. */
  start(chain: Chain): void {
    this.#state.syncTime()
    chain.events.undone.add((undo) => this.#state.faults?.forgetUndone(undo))
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

  /** See {@link BlockWork.canTakeMore}. */
  get canTake(): boolean {
    return this.#requireDriver().work.canTakeMore
  }

  /**
   * Gives the empty pending block the present time if blocks have that; `undefined` if it has it.
   */
  refresh(): Promise<void> | undefined {
    const isOld = this.#state.stampsNow && this.#requireDriver().chain.isOutdated
    return isOld ? this.#write((writer, work) => work.refresh(writer)) : undefined
  }

  /** See {@link ClockDriver.takeWaiting}. */
  takeWaiting(signal: AbortSignal): Promise<void> {
    return this.#requireDriver().takeWaiting(signal)
  }

  /**
   * Runs a command that changes or captures the chain. What was sent before it comes first, in a
   * tick of its own, unless ticks are frozen.
   */
  command<Result>(run: (writer: ChainWriter) => Result | Promise<Result>): Promise<Result> {
    return this.#write(async (writer, work) => {
      await work.takeSent(writer)
      return await run(writer)
    })
  }

  /**
   * Like {@link command}, for a command that chooses time or environment of the next block. What is
   * pre-confirmed is final, so the pending block is sealed first if it holds transactions, even
   * while sealing is frozen.
   *
   * @param check - throws if the command is to be refused, before anything is sealed
   */
  choose<Result>(
    run: (writer: ChainWriter) => Result | Promise<Result>,
    check: () => void = () => undefined,
  ): Promise<Result> {
    return this.#write(async (writer, work) => {
      await work.takeSent(writer)
      check()
      await work.sealPreconfirmed(writer)
      return await run(writer)
    })
  }

  /** Freezes sealing and instant mode; with `ticks`, also the tick clock, which stops time. */
  freeze(options: { ticks?: boolean | undefined } = {}): Promise<void> {
    return this.#write(() => this.#state.freeze(options.ticks === true))
  }

  /**
   * Resumes ticks, and sealing or instant mode as before the freeze, without a jump in time.
   *
   * @param options.ticks - whether ticks are resumed; false leaves them as they are. Default: true
   */
  resume(options: { ticks?: boolean } = {}): Promise<void> {
    return this.#write(async (writer, work) => {
      this.#state.resume(options.ticks !== false)
      if (this.instant) await work.sealAll(writer)
    })
  }

  /**
   * Enters instant mode and seals the waiting transactions, or leaves instant mode. Either way, the
   * sealing clock stops unless a command set its interval. On a chain that started in instant mode,
   * leaving it stops ticks, too: transactions wait until a block is sealed.
   *
   * @param options.keepsWaiting - whether transactions that wait so are sealed only with the next
   *   one that is sent, as on Hardhat's network. Default: false
   */
  setAutomine(enabled: boolean, options: { keepsWaiting?: boolean } = {}): Promise<void> {
    return this.#write(async (writer, work) => {
      const { mempool } = work.chain
      this.#state.setAutomine(enabled, options.keepsWaiting === true && mempool.runnableCount > 0)
      if (this.instant && !this.collecting) await work.sealAll(writer)
    })
  }

  /**
   * Runs the sealing clock at this interval from now on, even after a freeze; `undefined` stops it.
   *
   * @param range - ms, at least 1
   * @param options.exclusive - whether to leave instant mode. Default: false
   */
  setSealInterval(
    range: IntervalRange | undefined,
    options: { exclusive?: boolean } = {},
  ): Promise<void> {
    return this.#write(async (writer, { chain }) => {
      if (options.exclusive === true) this.#state.setAutomine(false)
      this.#state.setSealInterval(range)
      if (range !== undefined && isEmptyBlock(chain.pending)) await writer.reschedule()
    })
  }

  /** `count` times: advances time by one tick interval, ticks, and seals if that is due. */
  advanceTicks(count: number): Promise<void> {
    return this.#write(async (writer, work) => {
      for (let index = 0; index < count; index++) {
        this.#state.advance(this.#state.ticks.interval)
        await work.tick(writer, { isSliced: true })
        await work.sealIfDue(writer)
        await work.yieldToOthers()
      }
    })
  }

  /**
   * `count` times: ticks, advances time by one seal interval, and seals. Reserves blocks if they
   * are many and empty; see {@link BlockWork.reserve}.
   *
   * @throws {InvalidParamsError} if a block would be too late, or have too high a number
   */
  advanceBlocks(count: number): Promise<void> {
    return this.#write((writer, work) => advanceBlocks(count, writer, work))
  }

  /** Seals the pending block, with what was sent before unless ticks are frozen. */
  seal(): Promise<SealedBlock> {
    return this.#write(async (writer, work) => {
      await work.takeSent(writer)
      await work.refresh(writer)
      return work.seal(writer)
    })
  }

  /**
   * Ticks, then seals, `count` times. Reserves blocks if they are many and empty; see
   * {@link BlockWork.reserve}.
   *
   * @param options.timestamp - of the first block, in s. Pre-confirmed transactions are sealed in a
   *   block before it. Default: the timestamp of the pending block
   * @param options.interval - s between the timestamps of the blocks. Default: as scheduled
   * @throws {RefusedError}
   * @throws {InvalidParamsError} if a block would be too late, or have too high a number
   */
  tickAndSeal(
    count: number,
    options: { timestamp?: number | undefined; interval?: number | undefined } = {},
  ): Promise<SealedBlock> {
    return this.#write((writer, work) => sealSeries({ count, ...options }, writer, work))
  }

  /**
   * As {@link tickAndSeal}, but the first block is `interval` s after the newest one or after now,
   * whichever is later. Pre-confirmed transactions are sealed in a block before it.
   *
   * @param interval - s between the timestamps of the blocks, at least 1
   */
  tickAndSealApart(count: number, interval: number): Promise<SealedBlock> {
    return this.#write((writer, work) => sealApart({ count, interval }, writer, work))
  }

  /**
   * Gives the next block this timestamp; virtual time jumps to it when that block is sealed. If the
   * pending block holds transactions, it is sealed first.
   *
   * @param timestamp - s since the epoch
   * @throws {RefusedError}
   */
  setNextTimestamp(timestamp: number): Promise<void> {
    return this.#write(async (writer, work) => {
      await work.takeSent(writer)
      await chooseTimestamp(timestamp, writer, work)
    })
  }

  /**
   * Moves virtual time forward, and the pending block's timestamp with it, unless a command chose
   * that timestamp: then virtual time jumps to it at the seal, as in EDR and anvil. The block that
   * opens is `seconds` after now, or after the newest block if that is later. If the pending block
   * holds transactions, it is sealed, and the next one is `seconds` after it.
   *
   * @param seconds - at least 0
   * @returns the total of all such moves, in s
   */
  increaseTime(seconds: number): Promise<number> {
    return this.#write((writer, work) => increaseTime(seconds, writer, work))
  }

  /**
   * Moves virtual time to `timestamp`, forward or back, and gives the next block that timestamp.
   * If the pending block holds transactions, it is sealed first.
   *
   * @param timestamp - s since the epoch
   * @returns the s by which virtual time moved forward; 0 if it moved back
   * @throws {RefusedError}
   */
  setTime(timestamp: number): Promise<number> {
    return this.#write((writer, work) => setTime(timestamp, writer, work))
  }

  /**
   * The pending block as it would be if it took all that waits now; nothing else changes.
   *
   * @returns a view whose state the caller has to release
   */
  preview(): Promise<PendingView> {
    return this.#write(async (writer, work) => {
      await work.refresh(writer)
      return await writer.preview()
    })
  }

  /**
   * Resets the chain, both clocks and instant mode to their state at the start. Time goes back too,
   * except that it follows the wall clock if no `--timestamp` was given and a clock is running.
   *
   * @throws {RefusedError}
   */
  reset(): Promise<void> {
    return this.command((writer) => this.#reset(writer))
  }

  #reset(writer: ChainWriter): void {
    writer.reset(() => {
      this.#restart()
      const runs = this.ticks.running || this.seals.running
      if (this.#followsWall && runs) {
        this.#state.setTime(Math.max(this.#parameters.start, Date.now()))
      }
    })
  }

  /**
   * Forgets the newest `depth` sealed blocks; time goes back to the timestamp of the one before.
   * What waits or was pre-confirmed stays in the mempool.
   *
   * @throws {InvalidParamsError} if there are fewer blocks
   * @throws {RefusedError} if the block before is not kept, or the node started from a later one
   */
  rollback(depth: number): Promise<void> {
    return this.#write((writer) =>
      writer.rollback(depth, ({ header }) => this.#state.returnTo(Number(header.timestamp))),
    )
  }

  /** Replaces the newest sealed blocks; see {@link reorganise}. Time goes on. */
  reorg(request: ReorgRequest): Promise<Reorg> {
    return this.#write((writer, work) => work.reorg(writer, request))
  }

  save(): SavedClock {
    return this.#state.save()
  }

  /**
   * Continues virtual time from where it was saved; a later reset returns to this point. To be
   * called before {@link start}; after that, use {@link load}.
   *
   * @param saved - `undefined`: continues from wall time, or from `earliest` if that is later
   * @param earliest - s since the epoch
   */
  restore(saved: SavedClock | undefined, earliest: number): void {
    this.#state.load(saved, earliest)
    this.#restart = this.#state.snapshot()
  }

  /**
   * Replaces the chain and its time by those of another chain; see {@link restore}.
   *
   * @param leave - called right before that; what it is given resets the present chain. Default:
   *   nothing
   * @throws {UpstreamError} if the account of a sender cannot be read; nothing has changed then
   */
  load(
    base: ChainBase,
    saved: SavedClock | undefined,
    leave?: (reset: () => void) => void,
  ): Promise<void> {
    return this.command((writer) =>
      writer.load(base, () => {
        leave?.(() => this.#reset(writer))
        this.restore(saved, Number(base.history.head.header.timestamp))
        this.#followsWall = this.#parameters.timestamp === undefined && base.origin === undefined
      }),
    )
  }

  /** Returns a function that restores virtual time and both clocks as they are now. */
  snapshot(): () => void {
    const restore = this.#state.snapshot()
    const { wall } = this.#state
    return () => {
      restore()
      this.#state.resumeFrom(wall)
      this.#driver?.arm()
    }
  }

  #write<Result>(
    run: (writer: ChainWriter, work: BlockWork) => Result | Promise<Result>,
  ): Promise<Result> {
    const driver = this.#requireDriver()
    return driver.write((writer) => run(writer, driver.work))
  }

  #requireDriver(): ClockDriver {
    if (this.#driver === undefined) throw new Error('The clocks have not been started')
    return this.#driver
  }
}
