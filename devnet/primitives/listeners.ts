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
      for (const listener of this.#listeners) {
        try {
          listener(...args)
        } catch (error) {
          this.#onInternalError(error)
        }
      }
    } finally {
      this.#emitting--
    }
  }
}

/** Starts to call `emit` with items; returns a function that stops this. */
type Source<Item> = (emit: (item: Item) => void) => () => void

/** ms for which the listeners of one feed are called without a pause. */
const SLICE = 2

/** Items that may wait. With more, the feed makes no pause, which slows its source down. */
const MOST_WAITING = 100

/** Listeners that are called between two readings of the clock. */
const GROUP = 16

/** An item, the listeners that it is for, and the index of the first that does not have it yet. */
interface Delivery<Item> {
  readonly item: Item
  readonly listeners: readonly ((item: Item) => void)[]
  next: number
}

/**
 * Shares one source among all listeners. The source runs only while there are listeners. Ten
 * thousand listeners are not called in one go: the rest get the item in later turns of the event
 * loop, in the same order, unless they were removed by then.
 */
export class Feed<Item> {
  readonly #source: Source<Item>
  readonly #onInternalError: (error: unknown) => void
  readonly #listeners = new Set<(item: Item) => void>()
  readonly #deliveries: Delivery<Item>[] = []
  #isDelivering = false
  #stop: (() => void) | undefined

  /** @param onInternalError - gets what a listener throws */
  constructor(source: Source<Item>, onInternalError: (error: unknown) => void) {
    this.#source = source
    this.#onInternalError = onInternalError
  }

  /** Calls `listener` with each item from now on; returns a function that removes it. */
  add(listener: (item: Item) => void): () => void {
    // Not the listener itself, which may be added twice.
    const own = (item: Item) => listener(item)
    this.#listeners.add(own)
    this.#stop ??= this.#source((item) => this.#emit(item))
    return () => {
      this.#listeners.delete(own)
      if (this.#listeners.size > 0) return
      this.#stop?.()
      this.#stop = undefined
    }
  }

  #emit(item: Item): void {
    this.#deliveries.push({ item, listeners: [...this.#listeners], next: 0 })
    if (this.#isDelivering) return
    if (this.#deliveries.length > MOST_WAITING) this.#deliver(Number.POSITIVE_INFINITY)
    else if (this.#deliveries.length === 1) this.#deliver(SLICE)
  }

  /** @param slice - ms after which the rest waits for the next turn of the event loop */
  #deliver(slice: number): void {
    const end = performance.now() + slice
    this.#isDelivering = true
    for (let first = this.#deliveries[0]; first !== undefined; first = this.#deliveries[0]) {
      this.#callGroup(first)
      if (first.next >= first.listeners.length) this.#deliveries.shift()
      if (performance.now() > end && this.#deliveries.length > 0) {
        setImmediate(() => this.#deliver(SLICE))
        break
      }
    }
    this.#isDelivering = false
  }

  #callGroup(delivery: Delivery<Item>): void {
    const { item, listeners, next } = delivery
    delivery.next += GROUP
    for (const listener of listeners.slice(next, delivery.next)) {
      if (!this.#listeners.has(listener)) continue
      try {
        listener(item)
      } catch (error) {
        this.#onInternalError(error)
      }
    }
  }
}
