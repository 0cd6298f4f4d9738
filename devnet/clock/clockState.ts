import type { Faults } from '../faults/faults.ts'
import type { SavedClock } from '../persistence/dump/dumpText.ts'
import { type IntervalRange, Intervals, IntervalTimer } from './intervalTimer.ts'
import { SealMode } from './sealMode.ts'
import { VirtualTime } from './virtualTime.ts'

export interface ClockStateParameters {
  /** ms since the epoch at which virtual time starts. */
  readonly start: number
  /** ms between ticks; 0 executes each transaction on arrival. */
  readonly tickInterval: number
  /** ms. */
  readonly sealInterval: number
  /** Into how many slices the gas of a block is divided. */
  readonly slices: number
  /** True if each transaction is pre-confirmed and sealed on arrival, without the sealing clock. */
  readonly instant: boolean
  readonly frozen: boolean
  readonly frozenTicks: boolean
  readonly allowBlocksWithSameTimestamp: boolean
}

/** The state of virtual time and of both clocks; sets no timers and does not touch the chain. */
export class ClockState {
  readonly ticks: IntervalTimer
  readonly seals: IntervalTimer
  /** Into how many slices the gas of a block is divided. */
  readonly slices: number
  readonly #allowsEqualTimestamps: boolean
  readonly #mode: SealMode
  readonly #intervals: Intervals
  readonly #time: VirtualTime
  /** Timestamp, in s, that a command chose for the pending block; time jumps to it at the seal. */
  expectedTimestamp: number | undefined
  /** Rules by which ticks, seals and answers fail; `undefined` as long as nobody sets any. */
  faults: Faults | undefined
  /** Total s by which `evm_increaseTime` has moved time. */
  #increased = 0

  constructor(parameters: ClockStateParameters) {
    const { start, tickInterval, sealInterval } = parameters
    this.slices = parameters.slices
    this.#allowsEqualTimestamps = parameters.allowBlocksWithSameTimestamp
    this.#time = new VirtualTime(start)
    this.ticks = new IntervalTimer(tickInterval, start)
    this.seals = new IntervalTimer(sealInterval, start)
    this.#mode = new SealMode(parameters)
    this.#intervals = new Intervals(sealInterval)
    this.#runClocks(start)
  }

  /** Virtual time in ms since the epoch. */
  get now(): number {
    return this.#time.now()
  }

  /** ms since the epoch. */
  get wall(): number {
    return this.now - this.#time.ahead
  }

  /** Virtual time in s; see {@link VirtualTime.second} for a network that stamps blocks with it. */
  get second(): number {
    return this.stampsNow ? this.#time.second : Math.floor(this.now / 1000)
  }

  /** True if each transaction is sealed at once. */
  get instant(): boolean {
    return this.#mode.instant
  }

  /** See {@link SealMode.collecting}. */
  get collecting(): boolean {
    return this.#mode.collecting
  }

  /** True if an empty pending block has the present time, as on Hardhat's network. */
  get stampsNow(): boolean {
    return this.instant || this.collecting
  }

  /** See {@link Schedule.equalTimestamps}. */
  get equalTimestamps(): boolean {
    if (this.#allowsEqualTimestamps) return true
    // In instant mode, the sealing clock runs only if a command has set its interval.
    return this.#intervals.shortest < 1000 && (this.seals.running || !this.stampsNow)
  }

  /** True if each arriving transaction triggers a tick: the tick interval is 0, and ticks run. */
  get ticksOnArrival(): boolean {
    return this.ticks.running && this.ticks.interval === 0
  }

  /** Virtual time of a tick that a fault has made late; `undefined` if there is none. */
  get lateTick(): number | undefined {
    return this.ticks.running ? this.faults?.lateTick : undefined
  }

  /** Runs virtual time if either clock runs, or ticks wait for blocks; stops it otherwise. */
  syncTime(): void {
    if (this.ticks.running || this.seals.running || this.collecting) this.#time.resume()
    else this.#time.stop()
  }

  freeze(ticks: boolean): void {
    this.#changeMode((mode) => mode.freeze(ticks))
  }

  resume(ticks: boolean): void {
    this.#changeMode((mode) => mode.resume(ticks))
  }

  /**
   * Enters or leaves instant mode. The tick clock stops while transactions are collected.
   *
   * @param isWaiting - see {@link SealMode.setAutomine}. Default: false
   */
  setAutomine(enabled: boolean, isWaiting = false): void {
    this.#changeMode((mode) => mode.setAutomine(enabled, isWaiting))
  }

  /** See {@link SealMode.endCollecting}. */
  endCollecting(): void {
    this.#changeMode((mode) => mode.endCollecting())
  }

  /** Runs the sealing clock at this interval, starting now; `undefined`: stops it. */
  setSealInterval(range: IntervalRange | undefined): void {
    if (range !== undefined) {
      this.#intervals.set(range)
      this.#restartSeals()
    }
    this.#changeMode((mode) => mode.setInterval(range !== undefined))
  }

  #changeMode(change: (mode: SealMode) => void): void {
    const { now } = this
    change(this.#mode)
    this.#runClocks(now)
    this.syncTime()
  }

  /** Runs or stops both clocks as the mode says. */
  #runClocks(now: number): void {
    const { ticking, onInterval } = this.#mode
    if (ticking) this.ticks.resume(now)
    else this.ticks.freeze(now)
    if (onInterval) this.seals.resume(now)
    else this.seals.freeze(now)
  }

  /** Moves time forward by `ms`, for ticks or seals by command. */
  advance(ms: number): void {
    this.#time.advance(ms)
    this.ticks.restart(this.now)
  }

  /** Moves time forward, without ticks or seals. @returns the total of all such moves, in s */
  increase(seconds: number): number {
    this.#shift(seconds * 1000)
    this.#increased += seconds
    return this.#increased
  }

  /** Moves time to `ms` since the epoch, without ticks or seals. */
  setTime(ms: number): void {
    this.#shift(ms - this.now)
  }

  /** Moves time back to `timestamp`, in s, if it is later; each clock is due one interval later. */
  returnTo(timestamp: number): void {
    this.#time.jumpTo(Math.min(this.now, timestamp * 1000))
    this.expectedTimestamp = undefined
    this.ticks.restart(this.now)
    this.#restartSeals()
  }

  /**
   * Moves time on after a revert, if blocks have the present time, as Hardhat's network does: by
   * what has passed since the snapshot, and by the whole seconds of that once more.
   *
   * @param wall - of the snapshot, in ms since the epoch
   */
  resumeFrom(wall: number): void {
    if (!this.stampsNow || !this.#time.running) return
    const passed = this.wall - wall
    this.#shift(passed + Math.floor(passed / 1000) * 1000)
  }

  #shift(ms: number): void {
    this.#time.advance(ms)
    this.ticks.shift(ms)
    this.seals.shift(ms)
  }

  /**
   * Updates time and the sealing clock, right before the pending block is sealed.
   *
   * @param isDue - true if the sealing clock triggered the seal, false if a command did
   * @param timestamp - of the pending block, in s
   */
  prepareSeal(isDue: boolean, timestamp: number): void {
    if (this.expectedTimestamp !== undefined) {
      this.#time.jumpTo(this.expectedTimestamp * 1000)
      this.ticks.restart(this.now)
      this.expectedTimestamp = undefined
      this.#restartSeals()
    } else if (isDue) {
      this.seals.interval = this.#intervals.next()
      this.seals.step(this.now)
    } else {
      // As on Hardhat's network, blocks 1 s apart can run ahead of virtual time. It catches up with
      // them here; otherwise, `evm_increaseTime` could lead to a time before the newest block.
      if (this.stampsNow) this.#time.advance(Math.max(0, timestamp - this.second) * 1000)
      this.#restartSeals()
    }
  }

  #restartSeals(): void {
    this.seals.interval = this.#intervals.next()
    this.seals.restart(this.now)
  }

  /** Returns what a later start needs to continue virtual time. */
  save(): SavedClock {
    const { running } = this.#time
    return {
      // Rounded up: less than 1 s behind, as after a start at a whole second, counts as 0.
      time: running ? { offset: Math.ceil(this.#time.ahead / 1000) } : { stopped: this.now },
      increased: this.#increased,
      expectedTimestamp: this.expectedTimestamp,
    }
  }

  /**
   * Continues from a saved time; each clock is due one interval later.
   *
   * @param saved - `undefined`: continues from wall time, or from `earliest` if that is later
   * @param earliest - s since the epoch
   */
  load(saved: SavedClock | undefined, earliest: number): void {
    this.#increased = saved?.increased ?? 0
    this.expectedTimestamp = saved?.expectedTimestamp
    const { wall } = this
    if (saved === undefined) this.#time.jumpTo(Math.max(wall, earliest * 1000))
    else if ('stopped' in saved.time) this.#time.jumpTo(saved.time.stopped)
    else this.#time.jumpTo(wall + saved.time.offset * 1000)
    this.ticks.restart(this.now)
    this.#restartSeals()
  }

  /** Returns a function that restores time and clocks as they are now, here or in another state. */
  snapshot(): (to?: ClockState) => void {
    const { now } = this
    const ticks = this.ticks.snapshot(now)
    const seals = this.seals.snapshot(now)
    const mode = this.#mode.snapshot()
    const restoreIntervals = this.#intervals.snapshot()
    const timestamp = this.expectedTimestamp
    const increased = this.#increased
    return (to = this) => {
      // Stopped first, so that no time passes until everything is restored.
      to.#time.stop()
      to.#time.jumpTo(now)
      to.ticks.restore(ticks, now)
      to.seals.restore(seals, now)
      to.#mode.restore(mode)
      restoreIntervals(to.#intervals)
      to.expectedTimestamp = timestamp
      to.#increased = increased
      to.syncTime()
    }
  }
}
