import type { Question } from './question.ts'
import type { UpstreamTime } from './upstreamTime.ts'

/** Requests in flight at the start; the upstream may take more. */
const FIRST_REQUESTS = 4

/** ms after which an upstream without a refusal gets more. */
const CLEAN_TIME = 1000

/** ms of the first pause; each refusal that follows without an answer between doubles it. */
const FIRST_PAUSE = 250
const LONGEST_PAUSE = 8000

/**
 * ms of the longest pause that an upstream may ask for: some ask for a day, and are well a minute
 * later. Reads wait 45 s for it.
 */
const LONGEST_WANTED = 20_000

/** Characters of the requests in one batch. */
const LARGEST = 512 * 1024

/**
 * The load that the upstream takes: HTTP requests in flight, and items in each. A refusal halves
 * both. After a pause, one item finds out whether the upstream is well again; then each clean
 * second adds a request and doubles the items.
 */
export class Pace {
  readonly #time: UpstreamTime
  readonly #mostRequests: number
  #requests: number
  #inFlight = 0
  readonly #batch: number
  #mostItems: number
  #items: number
  /** Beginning of the second that is clean so far. */
  #clean: number
  /** Refusals since the last answer, and the time of the last one. */
  #refusals = 0
  #refused = -Infinity
  /** Before this time nothing is sent. */
  #pausedUntil = -Infinity

  /** @param parameters.batch - most items in a request */
  constructor(parameters: {
    readonly time: UpstreamTime
    readonly batch: number
    readonly concurrency: number
  }) {
    this.#time = parameters.time
    this.#mostRequests = parameters.concurrency
    this.#requests = Math.min(FIRST_REQUESTS, parameters.concurrency)
    this.#batch = parameters.batch
    this.#mostItems = parameters.batch
    this.#items = parameters.batch
    this.#clean = parameters.time.now()
  }

  /** Most items in a batch, if the upstream takes less than was configured. */
  get learned(): number | undefined {
    return this.#mostItems < this.#batch ? this.#mostItems : undefined
  }

  /** ms until a request may be sent; `undefined` if others must end first. */
  get delay(): number | undefined {
    if (this.#inFlight >= (this.#refusals > 0 ? 1 : this.#requests)) return undefined
    return Math.max(0, this.#pausedUntil - this.#time.now())
  }

  /** The items from the front of a queue that make the next request; at least one. */
  first<Item extends { readonly text: string; readonly question: Question<unknown> }>(
    queue: readonly Item[],
  ): Item[] {
    const most = this.#refusals > 0 ? 1 : this.#items
    const batch: Item[] = []
    let size = 0
    for (const next of queue) {
      const [first] = batch
      size += next.text.length + 1
      if (first !== undefined) {
        if (batch.length === most || size > LARGEST) break
        // A slow question would delay the answers of all others in its batch.
        if (next.question.isAlone === true || next.question.isSlow !== first.question.isSlow) break
      }
      batch.push(next)
      if (next.question.isAlone === true) break
    }
    return batch
  }

  /** @returns the time, for {@link refused} */
  sent(): number {
    this.#inFlight++
    return this.#time.now()
  }

  /** A request has ended, however. */
  ended(): void {
    this.#inFlight--
  }

  /** Notes that items of a request were answered. */
  took(): void {
    this.#refusals = 0
    const seconds = Math.floor((this.#time.now() - this.#clean) / CLEAN_TIME)
    if (seconds < 1) return
    this.#clean += seconds * CLEAN_TIME
    this.#requests = Math.min(this.#mostRequests, this.#requests + seconds)
    this.#items = Math.min(this.#mostItems, this.#items * 2 ** seconds)
  }

  /** Lowers the size of batches to what an earlier run has found. */
  limit(items: number): void {
    this.#mostItems = Math.min(this.#mostItems, items)
    this.#items = Math.min(this.#items, items)
  }

  /** The upstream takes no batch of so many items. */
  refusedBatch(items: number): void {
    this.limit(Math.max(1, items >> 1))
  }

  /** Notes that a batch of this many items failed, or was answered only in part. */
  failed(items: number): void {
    if (items === 1) return
    this.#clean = this.#time.now()
    this.#items = Math.min(this.#items, items >> 1)
  }

  /**
   * The upstream wants fewer requests.
   *
   * @param items - number of those in the request
   * @param sentAt - when they were sent
   * @param wait - ms that it asked for; `undefined` if it named none
   */
  refused(items: number, sentAt: number, wait: number | undefined): void {
    const now = this.#time.now()
    // Requests that were in flight together are refused together.
    const isNew = sentAt >= this.#refused
    if (isNew || wait !== undefined) {
      const own = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#refusals)
      this.#pausedUntil = Math.max(this.#pausedUntil, now + Math.min(wait ?? own, LONGEST_WANTED))
    }
    this.failed(items)
    this.#clean = Math.max(now, this.#pausedUntil)
    if (!isNew) return
    this.#refused = now
    this.#refusals++
    this.#requests = Math.max(1, this.#requests >> 1)
  }
}
