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
