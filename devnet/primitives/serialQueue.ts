/** Runs asynchronous work one at a time, first in, first out. A failure does not stop the queue. */
export class SerialQueue {
  #last: Promise<void> = Promise.resolve()
  #size = 0

  /** Whether any work is running or queued. */
  get busy(): boolean {
    return this.#size > 0
  }

  /** Runs `work` after everything that was queued before it, whether that succeeded or failed. */
  async run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    this.#size++
    const before = this.#last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    // Awaited, not chained with `then`: so the stack of an error in `work` reaches the caller.
    await before
    try {
      return await work()
    } finally {
      this.#size--
      resolve()
    }
  }

  /** Resolves when no work is running or queued. */
  async idle(): Promise<void> {
    while (this.busy) await this.#last
  }
}

/** Runs at most `limit` tasks at a time; the rest wait, first in, first out. */
export class Semaphore {
  readonly #limit: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    // A finished task passes its slot to the next waiting one, so that no new call overtakes it.
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
