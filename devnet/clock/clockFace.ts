import { Beat } from './beat.ts'
import { VirtualTime } from './virtualTime.ts'

/** How the clocks stand at the start. */
export interface ClockFaceParameters {
  /** ms since the epoch at which virtual time starts. */
  readonly start: number
  /** ms; 0 executes each transaction on arrival. */
  readonly tickInterval: number
  /** ms. */
  readonly sealInterval: number
  /** Sealing stands still at the start. */
  readonly frozen: boolean
  /** Both stand still at the start. */
  readonly frozenTicks: boolean
}

/** How time and both clocks stand; knows nothing of timers or of the chain. */
export class ClockFace {
  readonly ticks: Beat
  readonly seals: Beat
  readonly #time: VirtualTime
  /** Timestamp in s that was asked for the pending block; time jumps there when it is sealed. */
  #timestamp: number | undefined
  /** s by which `evm_increaseTime` moved time altogether. */
  #increased = 0

  constructor({ start, tickInterval, sealInterval, frozen, frozenTicks }: ClockFaceParameters) {
    this.#time = new VirtualTime(start)
    this.ticks = new Beat(tickInterval, start)
    this.seals = new Beat(sealInterval, start)
    if (frozen || frozenTicks) this.seals.freeze(start)
    if (frozenTicks) this.ticks.freeze(start)
  }

  /** Virtual time in ms since the epoch. */
  get now(): number {
    return this.#time.now()
  }

  /** Lets time run, unless both clocks are frozen. */
  start(): void {
    if (this.ticks.running || this.seals.running) this.#time.resume()
  }

  freeze(ticks: boolean): void {
    const { now } = this
    this.seals.freeze(now)
    if (ticks) this.ticks.freeze(now)
    if (!this.ticks.running) this.#time.stop()
  }

  resume(): void {
    const { now } = this
    this.ticks.resume(now)
    this.seals.resume(now)
    this.#time.resume()
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
    this.#time.advance(seconds * 1000)
    this.ticks.shift(seconds * 1000)
    this.seals.shift(seconds * 1000)
    this.#increased += seconds
    return this.#increased
  }

  /** @param timestamp - s; the pending block got it, and time goes there when it is sealed */
  expectTimestamp(timestamp: number | undefined): void {
    this.#timestamp = timestamp
  }

  get expectedTimestamp(): number | undefined {
    return this.#timestamp
  }

  /** The pending block is about to be sealed: on its beat, or by command. */
  sealed(due: boolean): void {
    if (this.#timestamp !== undefined) {
      this.#time.jumpTo(this.#timestamp * 1000)
      this.ticks.restart(this.now)
      this.seals.restart(this.now)
      this.#timestamp = undefined
    } else if (due) this.seals.step(this.now)
    else this.seals.restart(this.now)
  }

  /** What puts everything back to this moment. */
  snapshot(): () => void {
    const { now } = this
    const ticks = this.ticks.snapshot(now)
    const seals = this.seals.snapshot(now)
    const timestamp = this.#timestamp
    const increased = this.#increased
    return () => {
      this.#time.jumpTo(now)
      this.ticks.restore(ticks, now)
      this.seals.restore(seals, now)
      this.#timestamp = timestamp
      this.#increased = increased
      if (ticks.running || seals.running) this.#time.resume()
      else this.#time.stop()
    }
  }
}
