/** 2^32 divided by the golden ratio: its multiples spread evenly over 32 bits. */
export const GOLDEN = 0x9e3779b1

/** Seeded random numbers: the same seed gives the same run (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** From 0 up to, not including, `limit`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * limit)
  }

  /** True once in `times`. */
  once(times: number): boolean {
    return this.below(times) === 0
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new Error('Cannot pick from an empty list')
    return item
  }
}
