import { MAX_TIMER_DELAY } from './timers.ts'
import { inProcessTime } from './turnTime.ts'

/** Keeps the process alive while a node has work to finish: a node's sockets and timers do not. */
export class ProcessHold {
  /** One timer for all nodes, referenced while any has work: one per request would cost more. */
  static readonly #timer = setInterval(() => undefined, MAX_TIMER_DELAY).unref()
  static #count = 0

  /** Keeps the process alive until the matching {@link release}. */
  acquire(): void {
    if (ProcessHold.#count++ === 0) ProcessHold.#timer.ref()
  }

  release(): void {
    if (--ProcessHold.#count === 0) ProcessHold.#timer.unref()
  }

  /** Keeps the process alive until `work` has settled. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.acquire()
    try {
      return await work()
    } finally {
      await inProcessTime.pause()
      this.release()
    }
  }
}
