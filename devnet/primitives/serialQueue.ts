/** Runs asynchronous work first in, first out, one at a time. A failure does not stop the queue. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()
  #size = 0

  /** Whether work runs or waits. */
  get busy(): boolean {
    return this.#size > 0
  }

  /** Runs `work` after everything that was queued before it, whether that succeeded or failed. */
  run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    this.#size++
    const result = this.#last.then(work)
    const done = () => {
      this.#size--
    }
    this.#last = result.then(done, done)
    return result
  }

  /** Resolves when no work runs or waits. */
  async idle(): Promise<void> {
    while (this.busy) await this.#last
  }
}

/** Runs at most `limit` pieces of work side by side; the rest waits, first in, first out. */
export class Semaphore {
  readonly #limit: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    // Finished work hands its place to the next in line, so that nothing slips in between.
    if (this.#running < this.#limit) this.#running++
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running--
      else next()
    }
  }
}
