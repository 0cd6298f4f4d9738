import type { SavedClock } from '../persistence/dump/dumpText.ts'
import { type IntervalRange, Intervals, IntervalTimer } from './intervalTimer.ts'
import { SealMode } from './sealMode.ts'
import { VirtualTime } from './virtualTime.ts'

/** How the clocks stand at the start. */
export interface ClockStateParameters {
  /** ms since the epoch at which virtual time starts. */
  readonly start: number
  /** ms; 0 executes each transaction on arrival. */
  readonly tickInterval: number
  /** ms. */
  readonly sealInterval: number
  /** Each transaction is pre-confirmed and sealed on arrival, and the sealing clock does not beat. */
  readonly instant: boolean
  /** Sealing stands still at the start. */
  readonly frozen: boolean
  /** Both stand still at the start. */
  readonly frozenTicks: boolean
}

/** How time and both clocks stand; knows nothing of timers or of the chain. */
export class ClockState {
  readonly ticks: IntervalTimer
  readonly seals: IntervalTimer
  readonly #mode: SealMode
  readonly #intervals: Intervals
  readonly #time: VirtualTime
  /** Timestamp in s that was asked for the pending block; time jumps there when it is sealed. */
  #timestamp: number | undefined
  /** s by which `evm_increaseTime` moved time altogether. */
  #increased = 0

  constructor(parameters: ClockStateParameters) {
    const { start, tickInterval, sealInterval, instant, frozen, frozenTicks } = parameters
    this.#time = new VirtualTime(start)
    this.ticks = new IntervalTimer(tickInterval, start)
    this.seals = new IntervalTimer(sealInterval, start)
    this.#mode = new SealMode({ instant, frozen: frozen || frozenTicks })
    this.#intervals = new Intervals(sealInterval)
    if (frozenTicks) this.ticks.freeze(start)
    this.#applyMode(start)
  }

  /** Virtual time in ms since the epoch. */
  get now(): number {
    return this.#time.now()
  }

  /** Whether each transaction is sealed at once. */
  get instant(): boolean {
    return this.#mode.instant
  }

  /** Tick interval 0: ticks come with what arrives. */
  get ticksOnArrival(): boolean {
    return this.ticks.running && this.ticks.interval === 0
  }

  /** Lets time run, unless both clocks are frozen. */
  start(): void {
    if (this.ticks.running || this.seals.running) this.#time.resume()
    else this.#time.stop()
  }

  freeze(ticks: boolean): void {
    const { now } = this
    this.#mode.freeze()
    this.#applyMode(now)
    if (ticks) this.ticks.freeze(now)
    this.start()
  }

  resume(): void {
    const { now } = this
    this.#mode.resume()
    this.#applyMode(now)
    this.ticks.resume(now)
    this.start()
  }

  /** Enters instant mode, or leaves it; ticks go on or stand as before. */
  setAutomine(enabled: boolean): void {
    this.#mode.setAutomine(enabled)
    this.#applyMode(this.now)
    this.start()
  }

  /** Lets the sealing clock beat at this interval, the first time one interval from now; `undefined`: not at all. */
  setSealInterval(range: IntervalRange | undefined): void {
    const { now } = this
    if (range !== undefined) {
      this.#intervals.set(range)
      this.seals.interval = this.#intervals.next()
      this.seals.restart(now)
    }
    this.#mode.setInterval(range !== undefined)
    this.#applyMode(now)
    this.start()
  }

  #applyMode(now: number): void {
    if (this.#mode.onInterval) this.seals.resume(now)
    else this.seals.freeze(now)
  }

  /** A commanded tick, after its interval. */
  advanceTick(): void {
    this.#time.advance(this.ticks.interval)
    this.ticks.restart(this.now)
  }

  /** One seal interval, before a commanded seal. */
  advanceSeal(): void {
    this.#time.advance(this.seals.interval)
    this.ticks.restart(this.now)
  }

  /** Moves time without its beats; answers how far it was moved so altogether, in s. */
  increase(seconds: number): number {
    this.#shift(seconds * 1000)
    this.#increased += seconds
    return this.#increased
  }

  /** Moves time to `ms` since the epoch, without its beats. */
  setTime(ms: number): void {
    this.#shift(ms - this.now)
  }

  /** Lets time be no earlier than `timestamp`, in s. */
  catchUp(timestamp: number): void {
    this.#time.jumpTo(Math.max(this.now, timestamp * 1000))
  }

  #shift(ms: number): void {
    this.#time.advance(ms)
    this.ticks.shift(ms)
    this.seals.shift(ms)
  }

  /** @param timestamp - s; the pending block got it, and time goes there when it is sealed */
  expectTimestamp(timestamp: number | undefined): void {
    this.#timestamp = timestamp
  }

  get expectedTimestamp(): number | undefined {
    return this.#timestamp
  }

  /**
   * The pending block is about to be sealed: on its beat, or by command.
   *
   * @param timestamp - s; of the block
   */
  sealed(due: boolean, timestamp: number): void {
    if (this.#timestamp !== undefined) {
      this.#time.jumpTo(this.#timestamp * 1000)
      this.ticks.restart(this.now)
      this.#timestamp = undefined
      this.#restartSeals()
    } else if (due) {
      this.seals.interval = this.#intervals.next()
      this.seals.step(this.now)
    } else {
      // A second for each of many transactions: time keeps up, or moving it by some more would not reach that far.
      if (this.instant) this.catchUp(timestamp)
      this.#restartSeals()
    }
  }

  #restartSeals(): void {
    this.seals.interval = this.#intervals.next()
    this.seals.restart(this.now)
  }

  /** How virtual time stands, for a start later on. */
  save(): SavedClock {
    const running = this.#time.running
    return {
      // A start in the same second as the wall clock's is no offset.
      time: running ? { offset: Math.ceil(this.#time.ahead / 1000) } : { stopped: this.now },
      increased: this.#increased,
      expectedTimestamp: this.#timestamp,
    }
  }

  /**
   * Goes on from where virtual time was saved, the clocks one interval before their next beats.
   *
   * @param saved - default: it goes on now, or at `earliest` where that is later
   * @param earliest - s since the epoch
   */
  load(saved: SavedClock | undefined, earliest: number): void {
    this.#increased = saved?.increased ?? 0
    this.#timestamp = saved?.expectedTimestamp
    this.#time.jumpTo(this.#timeOf(saved, earliest))
    this.ticks.restart(this.now)
    this.#restartSeals()
  }

  #timeOf(saved: SavedClock | undefined, earliest: number): number {
    const wall = this.now - this.#time.ahead
    if (saved === undefined) return Math.max(wall, earliest * 1000)
    return 'stopped' in saved.time ? saved.time.stopped : wall + saved.time.offset * 1000
  }

  /** What puts everything back to this moment. */
  snapshot(): () => void {
    const { now } = this
    const ticks = this.ticks.snapshot(now)
    const seals = this.seals.snapshot(now)
    const mode = this.#mode.snapshot()
    const restoreIntervals = this.#intervals.snapshot()
    const timestamp = this.#timestamp
    const increased = this.#increased
    return () => {
      // Stopped, so that no moment passes before it stands where it stood.
      this.#time.stop()
      this.#time.jumpTo(now)
      this.ticks.restore(ticks, now)
      this.seals.restore(seals, now)
      this.#mode.restore(mode)
      restoreIntervals()
      this.#timestamp = timestamp
      this.#increased = increased
      this.start()
    }
  }
}
