/** Executions that run side by side in one turn of the event loop: as many as there are idle machines. */
const SIDE_BY_SIDE = 8

/** ms that the executions which begin in one turn may take together before the event loop has to turn. */
const SLICE = 5

/**
 * Lets executions begin. Short ones never reach a place where they pause, so a thousand at once would hold the event loop
 * until the last is done, on a thousand machines. A long one counts only in the turn that it begins in: it pauses by
 * itself, and short ones go on beside it.
 */
export class ExecutionGate {
  /** Number of the turn of the event loop, as far as executions began in it. */
  #turn = 0
  #isOpen = false
  #began = 0
  #running = 0
  readonly #waiting: ((turn: number) => void)[] = []

  /** Answers the turn that the execution belongs to, for {@link leave}; a promise of it where it has to wait. */
  enter(): number | Promise<number> {
    if (!this.#isOpen) this.#open()
    if (this.#waiting.length === 0 && this.#hasRoom()) {
      this.#running++
      return this.#turn
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  /** An execution is over. */
  leave(turn: number): void {
    if (turn !== this.#turn) return
    this.#running--
    this.#admit()
  }

  #open(): void {
    this.#turn++
    this.#isOpen = true
    this.#running = 0
    this.#began = performance.now()
    setImmediate(() => {
      this.#isOpen = false
      if (this.#waiting.length === 0) return
      this.#open()
      this.#admit()
    })
  }

  #admit(): void {
    while (this.#waiting.length > 0 && this.#hasRoom()) {
      this.#running++
      this.#waiting.shift()?.(this.#turn)
    }
  }

  #hasRoom(): boolean {
    return this.#running < SIDE_BY_SIDE && performance.now() - this.#began < SLICE
  }
}
