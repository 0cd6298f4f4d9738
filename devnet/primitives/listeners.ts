/** Listeners of one event. An error that one throws is reported and does not stop the others. */
export class Listeners<Arguments extends readonly unknown[]> {
  readonly #listeners = new Set<(...args: Arguments) => void>()
  readonly #onInternalError: (error: unknown) => void
  #emitting = 0

  constructor(onInternalError: (error: unknown) => void) {
    this.#onInternalError = onInternalError
  }

  get size(): number {
    return this.#listeners.size
  }

  /** Whether a listener is running. */
  get emitting(): boolean {
    return this.#emitting > 0
  }

  /** Calls `listener` at each event from now on; returns a function that removes it. */
  add(listener: (...args: Arguments) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  emit(...args: Arguments): void {
    this.#emitting++
    try {
      for (const listener of this.#listeners) this.#call(listener, args)
    } finally {
      this.#emitting--
    }
  }

  #call(listener: (...args: Arguments) => void, args: Arguments): void {
    try {
      listener(...args)
    } catch (error) {
      this.#onInternalError(error)
    }
  }
}

/** Starts to call `emit` with items; returns a function that stops this. */
type Source<Item> = (emit: (item: Item) => void) => () => void

/** Shares one source among all listeners. The source runs only while there are listeners. */
export class Feed<Item> {
  readonly #source: Source<Item>
  readonly #errors: unknown[] = []
  readonly #listeners = new Listeners<[Item]>((error) => this.#errors.push(error))
  #stop: (() => void) | undefined

  constructor(source: Source<Item>) {
    this.#source = source
  }

  /** Calls `listener` with each item from now on; returns a function that removes it. */
  add(listener: (item: Item) => void): () => void {
    const remove = this.#listeners.add(listener)
    this.#stop ??= this.#source((item) => this.#emit(item))
    return () => {
      remove()
      if (this.#listeners.size > 0) return
      this.#stop?.()
      this.#stop = undefined
    }
  }

  /** Rethrows the first error of a listener to the source, which reports it. */
  #emit(item: Item): void {
    this.#listeners.emit(item)
    if (this.#errors.length > 0) throw this.#errors.splice(0)[0]
  }
}
