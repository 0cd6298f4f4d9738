/**
 * The queue of everything that changes the chain: first in, first out, one at a time. Reads never wait on it.
 */
export class Writer {
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  /** Whether something runs or waits. */
  get busy(): boolean {
    return this.#waiting > 0
  }

  /** Runs `work` after all that was asked for before it, whether that failed or not. */
  run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    this.#waiting++
    const result = this.#last.then(work)
    // Whoever asked for the work hears of its failure; the next in the queue must not.
    this.#last = result.then(
      () => this.#done(),
      () => this.#done(),
    )
    return result
  }

  /** Resolves when nothing runs or waits any more. */
  async idle(): Promise<void> {
    while (this.#waiting > 0) await this.#last
  }

  #done(): void {
    this.#waiting--
  }
}
