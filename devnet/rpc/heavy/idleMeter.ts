import { performance } from 'node:perf_hooks'

/** Measures whether the event loop is mostly idle, apart from what it does for others. */
export class IdleMeter {
  readonly #read: () => LoopTimes
  #last: LoopTimes
  #helped = 0

  /** @param read - times since the process began. Default: `performance.eventLoopUtilization` */
  constructor(read: () => LoopTimes = () => performance.eventLoopUtilization()) {
    this.#read = read
    this.#last = read()
  }

  /** True if it was mostly idle since the last call. */
  isIdle(): boolean {
    const now = this.#read()
    const active = now.active - this.#last.active
    const idle = now.idle - this.#last.idle
    const own = active - this.#helped
    this.#last = now
    this.#helped = 0
    return own <= IDLE_ENOUGH * (active + idle)
  }

  /** Notes that the loop worked this many ms for others, which counts as idle time. */
  helped(ms: number): void {
    this.#helped += ms
  }
}

/** ms for which the event loop was active and idle. */
interface LoopTimes {
  readonly active: number
  readonly idle: number
}

/** Part of its time that the main thread must have been idle before it does others' work. */
const IDLE_ENOUGH = 0.5
