/** Listeners of one event. Errors that they throw are reported and disturb no other listener. */
export class Listeners<Arguments extends readonly unknown[]> {
  readonly #listeners = new Set<(...args: Arguments) => void>()
  readonly #onInternalError: (error: unknown) => void

  constructor(onInternalError: (error: unknown) => void) {
    this.#onInternalError = onInternalError
  }

  get size(): number {
    return this.#listeners.size
  }

  /** Calls `listener` for each event; returns a function that removes it. */
  add(listener: (...args: Arguments) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  emit(...args: Arguments): void {
    for (const listener of this.#listeners) {
      try {
        listener(...args)
      } catch (error) {
        this.#onInternalError(error)
      }
    }
  }
}
