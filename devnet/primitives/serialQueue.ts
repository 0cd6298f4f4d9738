/** Runs asynchronous work one at a time, first in, first out. A failure does not stop the queue. */
export class SerialQueue {
  #last: Promise<void> = Promise.resolve()
  #size = 0
  /** Lets the next work begin. */
  #release: () => void = () => undefined
  #idle: PromiseWithResolvers<void> | undefined

  get busy(): boolean {
    return this.#size > 0
  }

  /** Runs `work` after everything that was queued before it, whether that succeeded or failed. */
  async run<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    this.#size++
    // Awaited, not chained with `then`: so the stack of an error in `work` reaches the caller.
    await this.#turn()
    try {
      return await work()
    } finally {
      this.#size--
      this.#release()
      if (this.#size === 0) {
        this.#idle?.resolve()
        this.#idle = undefined
      }
    }
  }

  /**
   * To be called by the work that runs: lets what is queued run until `wait` has ended, and then
   * waits for its turn behind that.
   */
  async stepAside<Result>(wait: () => Promise<Result>): Promise<Result> {
    this.#release()
    try {
      return await wait()
    } finally {
      await this.#turn()
    }
  }

  /** Resolves when no work is running or queued. */
  async idle(): Promise<void> {
    while (this.busy) {
      this.#idle ??= Promise.withResolvers()
      await this.#idle.promise
    }
  }

  async #turn(): Promise<void> {
    const before = this.#last
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last = promise
    await before
    this.#release = resolve
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
