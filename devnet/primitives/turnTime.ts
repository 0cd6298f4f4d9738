import { setImmediate } from 'node:timers'

/** Those of Node.js, whatever a test runner puts in their place later. */
const [atNextTurn, now] = [setImmediate, performance.now.bind(performance)]

/** ms of each turn of the event loop for one kind of work. */
const SLICE = 5

/** Requests per reading of the clock, which takes a fifth of the time of a short one. */
const SAMPLE = 4

/** The time that one kind of work has in each turn of the event loop, from its first look on. */
export class TurnTime {
  #end = 0
  #next: Promise<void> | undefined
  #unseen = SAMPLE

  isLeft(): boolean {
    this.next()
    return now() < this.#end
  }

  /** Resolves in the next turn. */
  next(): Promise<void> {
    if (this.#next !== undefined) return this.#next
    this.#end = now() + SLICE
    this.#next = new Promise((resolve) => {
      atNextTurn(() => {
        this.#next = undefined
        resolve()
      })
    })
    return this.#next
  }

  /** To be called, and awaited, before each answer: requests still begin in the order of calls. */
  pause(): Promise<void> | undefined {
    if (--this.#unseen > 0) return undefined
    const pause = this.yieldIfDue()
    // Sampling starts again only if time is left; otherwise each next call waits.
    if (pause === undefined) this.#unseen = SAMPLE
    return pause
  }

  /** For `runPaced`. */
  yieldIfDue(): Promise<void> | undefined {
    return this.isLeft() ? undefined : this.next()
  }
}

/** Of all requests and commands in this process: its nodes and branches share the event loop. */
export const inProcessTime = new TurnTime()
