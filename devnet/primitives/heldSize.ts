/** Bytes of an object or a list, of one of its fields, and of a short value; V8 takes fewer. */
const [OBJECT, FIELD, VALUE] = [64, 32, 16] as const

/** Bytes that a JSON value takes in memory, rather too many than too few. */
export function heldSize(value: unknown): number {
  if (typeof value === 'string') return VALUE + 2 * value.length
  if (typeof value !== 'object' || value === null) return VALUE
  let size = OBJECT
  if (Array.isArray(value)) for (const item of value) size += heldSize(item)
  else {
    for (const [name, field] of Object.entries(value)) {
      size += FIELD + 2 * name.length + heldSize(field)
    }
  }
  return size
}
