import type { Question } from './question.ts'

/** Characters of the requests in one batch. */
const LARGEST = 512 * 1024

/** Size of an HTTP request: less after one that was refused or got no whole answer. */
export class BatchSize {
  #most: number
  /** Most items in the next batch: fewer after a closed connection or a rate limit. */
  #next: number

  constructor(most: number) {
    this.#most = most
    this.#next = most
  }

  /** Most items in a batch that the upstream has not refused. */
  get most(): number {
    return this.#most
  }

  /** Lowers it to what an earlier run has found. */
  limit(most: number): void {
    this.#most = Math.min(this.#most, most)
    this.#next = Math.min(this.#next, most)
  }

  /** The upstream has refused so many items, because they came as a batch. */
  refused(count: number): void {
    this.limit(Math.max(1, count >> 1))
  }

  /** A batch of so many items did not get through, or not as a whole. */
  failed(count: number): void {
    this.#next = Math.max(1, Math.min(this.#next, count >> 1))
  }

  /** A batch of so many items was answered, at least in part. */
  took(count: number): void {
    this.#next = Math.min(this.#most, Math.max(this.#next, count * 2))
  }

  /**
   * The items from the front of a queue that make the next batch; at least one.
   *
   * @param most - how many items it may have besides
   */
  first<Item extends { readonly text: string; readonly question: Question<unknown> }>(
    queue: readonly Item[],
    most: number,
  ): Item[] {
    const batch: Item[] = []
    let size = 0
    while (batch.length < Math.min(this.#next, most)) {
      const next = queue[batch.length]
      if (next === undefined) break
      size += next.text.length + 1
      const [first] = batch
      if (first !== undefined) {
        if (size > LARGEST || next.question.isAlone === true) break
        // What may take long would hold up the others.
        if (next.question.isSlow !== first.question.isSlow) break
      }
      batch.push(next)
      if (next.question.isAlone === true) break
    }
    return batch
  }
}
