type Listener = (...values: never[]) => void

/**
 * The methods of Node's EventEmitter that concern listeners (EIP-1193). An EventTarget would not
 * do: the same listener may be added twice, and the methods must work detached from their object.
 */
export interface Listening {
  on(event: string, listener: Listener): unknown
  addListener(event: string, listener: Listener): unknown
  once(event: string, listener: Listener): unknown
  off(event: string, listener: Listener): unknown
  removeListener(event: string, listener: Listener): unknown
  removeAllListeners(event?: string): unknown
}

/**
 * Pages get only `listening`, so that none can emit a false event.
 *
 * @param owner - returns what `on` and the others return, so that calls can be chained
 */
export function createEmitter(owner: () => unknown) {
  const entries = new Map<string, readonly { listener: Listener; isOnce: boolean }[]>()

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
  const listening: Listening = {
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
  }
  return {
    listening,
    emit(event: string, value: unknown): void {
      for (const { listener, isOnce } of entries.get(event) ?? []) {
        if (isOnce) remove(event, listener)
        try {
          // The listener declares the type that EIP-1193 gives the value of this event.
          ;(listener as (value: unknown) => void)(value)
        } catch (error) {
          // Reported as an uncaught error of the page; the other listeners are still called.
          reportError(error)
        }
      }
    },
  }
}
