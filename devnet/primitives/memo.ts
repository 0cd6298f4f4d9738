/** Memoizes `create` per key. Keys are held weakly. */
export function memoize<Key extends WeakKey, Value>(
  create: (key: Key) => Value,
): (key: Key) => Value {
  const values = new WeakMap<Key, Value>()
  return (key) => getOrCreate(values, key, () => create(key))
}

/** Returns a function that calls `load` once. If that fails, the next call tries again. */
export function lazy<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
}

/** Sets a value as the newest one; of more than `most`, the oldest is forgotten. */
export function setNewest<Key, Value>(
  values: Map<Key, Value>,
  key: Key,
  value: Value,
  most: number,
): void {
  values.delete(key)
  values.set(key, value)
  const [oldest] = values.keys()
  if (values.size > most && oldest !== undefined) values.delete(oldest)
}

/** The value of `key`; if there is none yet, `create` makes it. */
export function getOrCreate<Key, Value>(
  values: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  create: () => Value,
): Value {
  let value = values.get(key)
  if (value === undefined) {
    value = create()
    values.set(key, value)
  }
  return value
}
