import { MAX_TIMER_DELAY } from './timers.ts'

/** Keeps the process alive while a node has work to finish; its sockets and timers do not. */
export class ProcessHold {
  #count = 0
  #timer: NodeJS.Timeout | undefined

  /** Each call needs a {@link release}. */
  acquire(): void {
    if (this.#count++ === 0) this.#timer = setInterval(() => undefined, MAX_TIMER_DELAY)
  }

  release(): void {
    if (--this.#count === 0) clearInterval(this.#timer)
  }

  /** Keeps the process alive until `work` has settled. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.acquire()
    try {
      return await work()
    } finally {
      this.release()
    }
  }
}
