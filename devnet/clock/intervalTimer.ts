import { GOLDEN } from '../primitives/random.ts'

/** A timer that is due at equal intervals of virtual time, e.g. for ticks. Times are in ms. */
export class IntervalTimer {
  /** 0: never due by itself. */
  interval: number
  /** Virtual time at which the timer is due next, while running. */
  #next: number
  /** ms left until the timer is due, while frozen; `undefined` while running. */
  #rest: number | undefined

  constructor(interval: number, now: number) {
    this.interval = interval
    this.#next = now + interval
  }

  get running(): boolean {
    return this.#rest === undefined
  }

  /** Virtual time at which the timer is due next; while frozen, as if it were resumed now. */
  next(now: number): number {
    return this.#rest === undefined ? this.#next : now + this.#rest
  }

  isDue(now: number): boolean {
    return this.running && this.interval > 0 && now >= this.#next
  }

  freeze(now: number): void {
    this.#rest ??= Math.max(0, this.#next - now)
  }

  /** Continues with what was left of the interval. */
  resume(now: number): void {
    if (this.#rest === undefined) return
    this.#next = now + this.#rest
    this.#rest = undefined
  }

  /** To be called when the timer was due: moves on to its next due time, skipping missed ones. */
  step(now: number): void {
    this.#next += this.interval
    if (this.#next <= now)
      this.#next += this.interval * Math.floor((now - this.#next) / this.interval + 1)
  }

  /** To be called after a command ticked or sealed: the timer is due one full interval from now. */
  restart(now: number): void {
    if (this.#rest === undefined) this.#next = now + this.interval
    else this.#rest = this.interval
  }

  /** To be called when virtual time jumps by `ms`: the rest of the interval stays the same. */
  shift(ms: number): void {
    this.#next += ms
  }

  snapshot(now: number): { rest: number; running: boolean; interval: number } {
    return { rest: this.next(now) - now, running: this.running, interval: this.interval }
  }

  restore(snapshot: ReturnType<IntervalTimer['snapshot']>, now: number): void {
    this.interval = snapshot.interval
    this.#next = now + snapshot.rest
    this.#rest = snapshot.running ? undefined : snapshot.rest
  }
}

/** An interval in ms, or the range to pick each interval from. */
export type IntervalRange = number | readonly [shortest: number, longest: number]

/** Successive intervals of a clock. A range yields the same sequence in every run. */
export class Intervals {
  #range: IntervalRange
  #taken = 0

  constructor(range: IntervalRange) {
    this.#range = range
  }

  set(range: IntervalRange): void {
    this.#range = range
    this.#taken = 0
  }

  /** ms. */
  get shortest(): number {
    return typeof this.#range === 'number' ? this.#range : this.#range[0]
  }

  /** The next interval, in ms. */
  next(): number {
    if (typeof this.#range === 'number') return this.#range
    const [shortest, longest] = this.#range
    const fraction = (Math.imul(++this.#taken, GOLDEN) >>> 0) / 2 ** 32
    return shortest + Math.floor(fraction * (longest - shortest + 1))
  }

  /**
   * Returns a function that restores the present range and the position in its sequence, here or in
   * another clock.
   */
  snapshot(): (to?: Intervals) => void {
    const range = this.#range
    const taken = this.#taken
    return (to = this) => {
      to.#range = range
      to.#taken = taken
    }
  }
}
