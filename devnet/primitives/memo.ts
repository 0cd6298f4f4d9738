/** What `create` makes of an object: made when first asked for, the same from then on, and gone with the object. */
export function oncePer<Key extends WeakKey, Value>(
  create: (key: Key) => Value,
): (key: Key) => Value {
  const made = new WeakMap<Key, Value>()
  return (key) => {
    let value = made.get(key)
    if (value === undefined) {
      value = create(key)
      made.set(key, value)
    }
    return value
  }
}
