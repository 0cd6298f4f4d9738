import type { Chain } from '../chain/chain.ts'
import type { ChainOrigin } from '../chain/chainBase.ts'
import type { Schedule } from '../chain/chainState.ts'
import type { Turn } from '../chain/writeJob.ts'
import type { SavedClock } from '../persistence/dump/capture.ts'
import { InvalidParamsError } from '../primitives/errors.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { BlockWork } from './blockWork.ts'
import { ClockDriver } from './clockDriver.ts'
import { ClockFace, type ClockFaceParameters } from './clockState.ts'
import type { Beat, IntervalRange } from './intervalTimer.ts'

export { TimestampError } from './blockWork.ts'

/** What the two clocks are made with. */
export interface ClocksParameters extends ClockFaceParameters {
  /** ms after which a tick of the wall clock begins no further transaction. */
  readonly tickBudget: number
  readonly allowBlocksWithSameTimestamp: boolean
  /** s; given where virtual time has to start there, and again after a reset. Default: it follows the wall clock. */
  readonly timestamp: number | undefined
}

/** The tick clock and the sealing clock. Commands go through the chain's queue like all that changes it. */
export class Clocks implements Schedule {
  readonly #parameters: ClocksParameters
  readonly #face: ClockFace
  /** Puts the clocks back to the start, or to the last {@link restore}. */
  #restart: () => void
  readonly #onError: (error: unknown) => void
  #driver: ClockDriver | undefined

  constructor(parameters: ClocksParameters, onError: (error: unknown) => void) {
    this.#parameters = parameters
    this.#face = new ClockFace(parameters)
    this.#restart = this.#face.snapshot()
    this.#onError = onError
  }

  /** Virtual time in ms since the epoch. */
  get now(): number {
    return this.#face.now
  }

  get ticks(): Readonly<Pick<Beat, 'interval' | 'running' | 'next'>> {
    return this.#face.ticks
  }

  get seals(): Readonly<Pick<Beat, 'interval' | 'running' | 'next'>> {
    return this.#face.seals
  }

  /** Instant mode: each transaction is pre-confirmed and sealed at once. */
  get instant(): boolean {
    return this.#face.instant
  }

  /** Tick interval 0: each transaction is pre-confirmed on arrival. */
  get ticksOnArrival(): boolean {
    return !this.instant && this.#face.ticksOnArrival
  }

  /** In instant mode and with {@link ticksOnArrival}, resolves when what has arrived so far is executed, or has to wait. */
  get arrivals(): Promise<void> {
    return this.#requireDriver().arrivals
  }

  /** Part of {@link Schedule}. */
  get equalTimestamps(): boolean {
    const isFast = !this.instant && this.seals.interval < 1000
    return isFast || this.#parameters.allowBlocksWithSameTimestamp
  }

  /** Part of {@link Schedule}. */
  sealTime(): number {
    return this.instant ? this.now : this.seals.next(this.now)
  }

  /** Begins to beat for `chain`. The process may end between two beats. */
  start(chain: Chain): void {
    this.#face.start()
    this.#driver = new ClockDriver({
      chain,
      face: this.#face,
      equalTimestamps: () => this.equalTimestamps,
      budget: this.#parameters.tickBudget,
      onError: this.#onError,
    })
  }

  stop(): void {
    this.#driver?.stop()
  }

  /** Stops sealing, and with `ticks` the ticks; leaves instant mode. Time stands still once both stand. */
  freeze(options: { ticks?: boolean } = {}): Promise<void> {
    return this.#write(() => this.#face.freeze(options.ticks === true))
  }

  /** Both clocks go on from where they stood, or instant mode does. */
  resume(): Promise<void> {
    return this.#write(async (turn, work) => {
      this.#face.resume()
      if (this.instant) await work.sealAll(turn)
    })
  }

  /** Enters instant mode, sealing what waits, or leaves it: then only ticks and beats that were asked for go on. */
  setAutomine(enabled: boolean): Promise<void> {
    return this.#write(async (turn, work) => {
      this.#face.setAutomine(enabled)
      if (this.instant) await work.sealAll(turn)
    })
  }

  /**
   * Lets the sealing clock beat at this interval from now on, frozen or not; `undefined`: not at all.
   *
   * @param range - ms, at least 1
   * @param options.exclusive - leaves instant mode. Default: false
   */
  setSealInterval(
    range: IntervalRange | undefined,
    options: { exclusive?: boolean } = {},
  ): Promise<void> {
    return this.#write(async (turn) => {
      if (options.exclusive === true) this.#face.setAutomine(false)
      this.#face.setSealInterval(range)
      const { executed } = this.#requireDriver().chain.pending
      if (range !== undefined && executed.length === 0) await turn.reschedule()
    })
  }

  /** `count` tick intervals with a tick each; seals only where sealing runs and is due. */
  advanceTicks(count: number): Promise<void> {
    return this.#write(async (turn, work) => {
      for (let index = 0; index < count; index++) {
        this.#face.advanceTick()
        await work.tick(turn)
        if (this.#face.seals.isDue(this.now)) await work.seal(turn, { due: true })
        await this.#requireDriver().breathe()
      }
    })
  }

  /** `count` times: a tick, time plus one seal interval, a seal. */
  advanceBlocks(count: number): Promise<void> {
    return this.#write(async (turn, work) => {
      for (let index = 0; index < count; index++) {
        await turn.tick()
        this.#face.advanceSeal()
        await work.refresh(turn)
        await work.seal(turn)
        await this.#requireDriver().breathe()
      }
    })
  }

  /** Seals the pending block as it is, without a tick before. */
  seal(): Promise<SealedBlock> {
    return this.#write(async (turn, work) => {
      await work.refresh(turn)
      return work.seal(turn)
    })
  }

  /**
   * Ticks, then seals, `count` times.
   *
   * @param options.timestamp - s; of the first block, or what answers it when its turn has come. Default: as it was opened
   * @param options.interval - s between the blocks. Default: as the sealing clock has it
   * @throws {TimestampError} where the newest sealed block is not older than `timestamp`
   */
  tickAndSeal(
    count: number,
    options: {
      timestamp?: number | (() => number) | undefined
      interval?: number | undefined
    } = {},
  ): Promise<SealedBlock> {
    const { timestamp, interval } = options
    return this.#write(async (turn, work) => {
      const chain = this.#requireDriver().chain
      if (timestamp === undefined) await work.refresh(turn)
      else {
        const first = typeof timestamp === 'number' ? timestamp : timestamp()
        await work.chooseTimestamp(turn, first)
      }
      let block = chain.head
      for (let index = 0; index < count; index++) {
        if (index === 0 || chain.mempool.runnableCount > 0) await turn.tick()
        const last = index === count - 1
        block = await work.seal(turn, {
          nextTimestamp:
            last || interval === undefined
              ? undefined
              : Number(chain.pending.environment.timestamp) + interval,
        })
        await work.breatheAfterBlock()
      }
      return block
    })
  }

  /**
   * Gives the pending block this timestamp; virtual time goes there when it is sealed.
   *
   * @param timestamp - s since the epoch
   * @throws {TimestampError} where the newest sealed block is not older
   */
  setNextTimestamp(timestamp: number): Promise<void> {
    return this.#write((turn, work) => work.chooseTimestamp(turn, timestamp))
  }

  /**
   * Moves virtual time, and the timestamp of the pending block with it.
   *
   * @param seconds - at least 0
   * @returns by how many s it was moved so altogether
   */
  increaseTime(seconds: number): Promise<number> {
    return this.#write((turn, work) => work.increaseTime(turn, seconds))
  }

  /**
   * Moves virtual time to `timestamp`, forwards or back, and that of the pending block with it.
   *
   * @param timestamp - s since the epoch
   * @returns by how many s it went forwards; 0 for back
   * @throws {TimestampError} where the newest sealed block is not older
   */
  setTime(timestamp: number): Promise<number> {
    return this.#write((turn, work) => work.setTime(turn, timestamp))
  }

  /** In instant mode, once all that was sent before is sealed, gives an empty pending block the time that it is now. */
  refresh(): Promise<void> {
    return this.#write((turn, work) => work.refresh(turn))
  }

  /** Goes back to the start: chain, clocks and instant mode; time too, where it was given. @throws {ResetError} */
  reset(): Promise<void> {
    return this.#write((turn) =>
      turn.reset(() => {
        this.#restart()
        const { timestamp, start } = this.#parameters
        const followsWall = timestamp === undefined && (this.ticks.running || this.seals.running)
        if (followsWall) this.#face.setTime(Math.max(start, Date.now()))
      }),
    )
  }

  /** How virtual time stands, to be saved. */
  save(): SavedClock {
    return this.#face.save()
  }

  /**
   * Lets virtual time go on from where it was saved; a reset comes back here. Before the start, or through {@link load}.
   *
   * @param saved - default: goes on now, or at `earliest` where that is later
   * @param earliest - s since the epoch
   */
  restore(saved: SavedClock | undefined, earliest: number): void {
    this.#face.load(saved, earliest)
    this.#restart = this.#face.snapshot()
  }

  /** Puts another chain in the place of this one, and its time; see {@link restore}. */
  load(origin: ChainOrigin, saved: SavedClock | undefined): Promise<void> {
    return this.#write(async (turn) => {
      this.restore(saved, Number(origin.history.head.header.timestamp))
      await turn.load(origin)
    })
  }

  /** What puts both clocks back to this moment. */
  snapshot(): () => void {
    const restore = this.#face.snapshot()
    return () => {
      restore()
      this.#driver?.arm()
    }
  }

  #write<Result>(run: (turn: Turn, work: BlockWork) => Result | Promise<Result>): Promise<Result> {
    const driver = this.#requireDriver()
    return driver.chain.write(async (turn) => {
      try {
        return await run(turn, driver.work)
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

/** Beats of one command. */
export const MOST_BEATS = 1_000_000

/**
 * Moves the clocks as `preconf_advance` does, for a program in the same process, whose types may not have been checked.
 *
 * @throws {InvalidParamsError} unless `by` has one number of ticks or blocks, from 1 to {@link MOST_BEATS}
 */
export function advance(
  clocks: Pick<Clocks, 'advanceTicks' | 'advanceBlocks'>,
  by: { readonly ticks: number } | { readonly blocks: number },
): Promise<void> {
  const { ticks, blocks }: { ticks?: number; blocks?: number } = by ?? {}
  if (ticks !== undefined && blocks === undefined) {
    return clocks.advanceTicks(checked('ticks', ticks))
  }
  if (blocks !== undefined && ticks === undefined) {
    return clocks.advanceBlocks(checked('blocks', blocks))
  }
  throw new InvalidParamsError('advance: want either ticks or blocks, such as { ticks: 1 }')
}

function checked(name: string, count: number): number {
  if (Number.isInteger(count) && count >= 1 && count <= MOST_BEATS) return count
  throw new InvalidParamsError(`advance: ${name}: want an integer from 1 to ${MOST_BEATS}`)
}
