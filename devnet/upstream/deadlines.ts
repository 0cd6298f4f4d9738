import type { UpstreamTime } from './upstreamTime.ts'

/** Timeouts that something may wait while others get answers: a rate limit makes a long queue. */
const LONGEST_QUEUE = 10

export interface Waiting {
  /** As of the clock, in ms. */
  readonly asked: number
  /** Beginning of its turn to be sent; `undefined` before, and again after a rate limit. */
  turn: number | undefined
}

/**
 * Ends what has waited too long. While others get answers, the time of an item does not begin
 * before its turn comes.
 */
export class Deadlines<Item extends Waiting> {
  readonly #time: UpstreamTime
  readonly #timeout: number
  readonly #items: ReadonlySet<Item>
  readonly #onLate: (item: Item) => void
  /** Time of the last answer. */
  #progress: number
  #next = Infinity
  #cancel: (() => void) | undefined

  /**
   * @param parameters.timeout - ms that an item may wait
   * @param items - all that wait
   * @param onLate - ends one of them
   */
  constructor(
    parameters: { readonly time: UpstreamTime; readonly timeout: number },
    items: ReadonlySet<Item>,
    onLate: (item: Item) => void,
  ) {
    this.#time = parameters.time
    this.#timeout = parameters.timeout
    this.#items = items
    this.#onLate = onLate
    this.#progress = this.#time.now()
  }

  /** To be called when something was answered. */
  answered(): void {
    this.#progress = this.#time.now()
  }

  /** To be called when an item is sent. */
  begin(item: Item): void {
    item.turn ??= Math.max(item.asked, this.#progress)
    this.expect(item)
  }

  /** To be called with each new item. */
  expect(item: Item): void {
    const deadline = this.#deadlineOf(item)
    if (deadline >= this.#next) return
    this.#cancel?.()
    this.#next = deadline
    this.#cancel = this.#time.after(deadline - this.#time.now(), () => this.#expire())
  }

  close(): void {
    this.#cancel?.()
  }

  #deadlineOf({ asked, turn }: Item): number {
    const from = turn ?? Math.max(asked, this.#progress)
    return Math.min(from + this.#timeout, asked + LONGEST_QUEUE * this.#timeout)
  }

  #expire(): void {
    this.#next = Infinity
    this.#cancel = undefined
    const now = this.#time.now()
    for (const item of [...this.#items]) {
      if (this.#deadlineOf(item) <= now) this.#onLate(item)
      else this.expect(item)
    }
  }
}
