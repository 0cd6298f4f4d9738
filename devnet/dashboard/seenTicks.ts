import type { StripTick } from './apiTypes/blockTypes.ts'

type Seen = NonNullable<StripTick['seen']>

/** Number of ticks that are remembered. */
const MOST = 1000

/** Facts of ticks that are known only while they run. */
export class SeenTicks {
  readonly #ticks = new Map<string, Seen>()

  add(block: number, tick: number, seen: Seen): void {
    const [oldest] = this.#ticks.keys()
    if (this.#ticks.size >= MOST && oldest !== undefined) this.#ticks.delete(oldest)
    this.#ticks.set(`${block} ${tick}`, seen)
  }

  at(block: number, tick: number): Seen | null {
    return this.#ticks.get(`${block} ${tick}`) ?? null
  }

  /** Forgets all, as a command took back blocks whose numbers come again. */
  clear(): void {
    this.#ticks.clear()
  }
}
