/** A listener of an event of the provider. */
export type Listener = (...values: never[]) => void

/** The listeners' half of Node's EventEmitter (EIP-1193); every function also works without its object. */
export interface Listening {
  on(event: string, listener: Listener): unknown
  addListener(event: string, listener: Listener): unknown
  once(event: string, listener: Listener): unknown
  off(event: string, listener: Listener): unknown
  removeListener(event: string, listener: Listener): unknown
  removeAllListeners(event?: string): unknown
}

/** Who listens to what. Pages get `listening` alone, so that none can pretend an event. */
export interface Emitter {
  readonly listening: Listening
  emit(event: string, value: unknown): void
}

interface Entry {
  readonly listener: Listener
  readonly isOnce: boolean
}

/** @param owner - what `on` and the others answer, for calls in a chain */
export function createEmitter(owner: () => unknown): Emitter {
  const entries = new Map<string, readonly Entry[]>()

  function add(event: string, listener: Listener, isOnce: boolean): unknown {
    if (typeof listener !== 'function') {
      throw new TypeError(`The listener of "${event}" must be a function, not ${typeof listener}`)
    }
    entries.set(event, [...(entries.get(event) ?? []), { listener, isOnce }])
    return owner()
  }

  function remove(event: string, listener: Listener): unknown {
    const list = entries.get(event) ?? []
    const at = list.findLastIndex((entry) => entry.listener === listener)
    if (at !== -1) entries.set(event, list.toSpliced(at, 1))
    return owner()
  }

  const on = (event: string, listener: Listener) => add(event, listener, false)
  return {
    listening: {
      on,
      addListener: on,
      once: (event, listener) => add(event, listener, true),
      off: remove,
      removeListener: remove,
      removeAllListeners(event) {
        if (event === undefined) entries.clear()
        else entries.delete(event)
        return owner()
      },
    },
    emit(event, value) {
      for (const { listener, isOnce } of entries.get(event) ?? []) {
        if (isOnce) remove(event, listener)
        try {
          // Listeners name the type that the event has by its standard.
          ;(listener as (value: unknown) => void)(value)
        } catch (error) {
          // A page's mistake is reported as such, and the other listeners are still told.
          reportError(error)
        }
      }
    },
  }
}
