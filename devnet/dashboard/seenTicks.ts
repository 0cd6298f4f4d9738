import { setNewest } from '../primitives/memo.ts'

interface Seen {
  /** ms that the tick took. */
  readonly elapsed: number
  /** Number of transactions that waited after it. */
  readonly waiting: number
  /** True if it came more than a fifth of its interval late, or used up its budget. */
  readonly isLate: boolean
}

/** Number of ticks that are remembered. */
const MOST = 1000

/** Facts of ticks that are known only while they run. */
export class SeenTicks {
  readonly #ticks = new Map<string, Seen>()

  add(block: number, tick: number, seen: Seen): void {
    setNewest(this.#ticks, `${block} ${tick}`, seen, MOST)
  }

  /** Facts of a tick that ran not long ago: the last 1,000 that executed anything; else `null`. */
  at(block: number, tick: number): Seen | null {
    return this.#ticks.get(`${block} ${tick}`) ?? null
  }

  /** Forgets all, as a command took back blocks whose numbers come again. */
  clear(): void {
    this.#ticks.clear()
  }
}
