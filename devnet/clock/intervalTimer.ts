/** A clock that beats at equal intervals of virtual time, e.g. once a tick. Times in ms. */
export class IntervalTimer {
  /** 0: no beats of its own. */
  interval: number
  /** Virtual time of the next beat, while running. */
  #next: number
  /** Until the next beat, while frozen. */
  #rest: number | undefined

  constructor(interval: number, now: number) {
    this.interval = interval
    this.#next = now + interval
  }

  get running(): boolean {
    return this.#rest === undefined
  }

  /** Virtual time of the next beat; while frozen, of the one that would follow a resume now. */
  next(now: number): number {
    return this.#rest === undefined ? this.#next : now + this.#rest
  }

  isDue(now: number): boolean {
    return this.running && this.interval > 0 && now >= this.#next
  }

  freeze(now: number): void {
    this.#rest ??= Math.max(0, this.#next - now)
  }

  /** Goes on with what was left of the interval. */
  resume(now: number): void {
    if (this.#rest === undefined) return
    this.#next = now + this.#rest
    this.#rest = undefined
  }

  /** The beat has happened on time: the next is one interval later, on the same grid; missed ones are not made up for. */
  step(now: number): void {
    this.#next += this.interval
    if (this.#next <= now)
      this.#next += this.interval * Math.floor((now - this.#next) / this.interval + 1)
  }

  /** The beat was commanded: the next is one interval from now. */
  restart(now: number): void {
    if (this.#rest === undefined) this.#next = now + this.interval
    else this.#rest = this.interval
  }

  /** Virtual time jumped without the beats in between: what was left of the interval stays. */
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

/** An interval in ms, or the shortest and the longest of a range. */
export type IntervalRange = number | readonly [shortest: number, longest: number]

/** 2^32 divided by the golden ratio: multiples of it spread evenly over 32 bits. */
const GOLDEN = 0x9e3779b1

/** The intervals of a clock. Those of a range are spread over it, the same ones each time: equal runs seal equal blocks. */
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

  /** The next one, in ms. */
  next(): number {
    if (typeof this.#range === 'number') return this.#range
    const [shortest, longest] = this.#range
    const fraction = (Math.imul(++this.#taken, GOLDEN) >>> 0) / 2 ** 32
    return shortest + Math.floor(fraction * (longest - shortest + 1))
  }

  /** What puts everything back to this moment. */
  snapshot(): () => void {
    const range = this.#range
    const taken = this.#taken
    return () => {
      this.#range = range
      this.#taken = taken
    }
  }
}
