/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [key: string]: Json
}

/** The first place at which a value is not what it must be. */
export interface Difference {
  /** As in JavaScript, from the response `$` on. */
  readonly path: string
  readonly problem: string
}

/**
 * The first difference of two values. Strings are equal to the letter; a missing or an additional key is a
 * difference. The `message` of an `error` may be another one, wherever it stands: clients have words of their own.
 */
export function difference(expected: Json, actual: Json, path = '$'): Difference | undefined {
  if (typeOf(expected) !== typeOf(actual)) return differentTypes(expected, actual, path)
  if (isArray(expected) && isArray(actual)) {
    if (expected.length !== actual.length) {
      return differentValues(expected.length, actual.length, `${path}.length`)
    }
    return first(expected, (value, index) =>
      difference(value, actual[index] ?? null, `${path}[${index}]`),
    )
  }
  if (!isObject(expected) || !isObject(actual)) {
    return expected === actual ? undefined : differentValues(expected, actual, path)
  }
  const extra = Object.keys(actual).find((key) => !Object.hasOwn(expected, key))
  return (
    first(Object.entries(expected), ([key, value]) => {
      const at = member(path, key)
      const other = own(actual, key)
      if (other === undefined) return { path: at, problem: 'missing' }
      if (key !== 'error') return difference(value, other, at)
      return difference(withoutMessage(value), withoutMessage(other), at)
    }) ??
    (extra === undefined
      ? undefined
      : { path: member(path, extra), problem: `not expected, is ${shown(actual[extra])}` })
  )
}

/**
 * The first difference of the shapes of two values, for recordings that are examples: types, hexadecimal strings, and
 * the keys of the example. Each item of a list must look like one of the example's; the keys of a map are free.
 */
export function shapeDifference(example: Json, actual: Json, path = '$'): Difference | undefined {
  if (example === null) return undefined
  if (typeOf(example) !== typeOf(actual)) return differentTypes(example, actual, path)
  if (typeof example === 'string') {
    if (!HEX.test(example) || HEX.test(String(actual))) return undefined
    return { path, problem: `expected a hexadecimal string, is ${shown(actual)}` }
  }
  if (isArray(example) && isArray(actual)) {
    if (example.length === 0) return undefined
    return first(actual, (item, index) => {
      const differences = example.map((one) => shapeDifference(one, item, `${path}[${index}]`))
      return differences.includes(undefined) ? undefined : differences[0]
    })
  }
  if (!isObject(example) || !isObject(actual)) return undefined
  const [free, ...others] = Object.entries(example)
  if (free !== undefined && [free, ...others].every(([key]) => MAP_KEY.test(key))) {
    return first(Object.entries(actual), ([key, value]) =>
      shapeDifference(free[1], value, member(path, key)),
    )
  }
  return first(Object.entries(example), ([key, value]) => {
    const other = own(actual, key)
    const at = member(path, key)
    return other === undefined
      ? { path: at, problem: 'missing' }
      : shapeDifference(value, other, at)
  })
}

const HEX = /^0x[0-9a-f]*$/i
const MAP_KEY = /^(?:0x[0-9a-f]+|\d+)$/i

/** The first that a check finds. */
export function first<Item>(
  items: readonly Item[],
  check: (item: Item, index: number) => Difference | undefined,
): Difference | undefined {
  for (const [index, item] of items.entries()) {
    const found = check(item, index)
    if (found !== undefined) return found
  }
  return undefined
}

export function member(path: string, key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

export function typeOf(value: Json): string {
  if (value === null) return 'null'
  return isArray(value) ? 'array' : typeof value
}

/** `Array.isArray()` does not know arrays that are only read. */
export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isArray(value)
}

export function differentValues(expected: Json, actual: Json, path: string): Difference {
  return { path, problem: `expected ${shown(expected)}, is ${shown(actual)}` }
}

/** A value as JSON, cut to a length that a line can show. */
export function shown(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? 'absent'
  return text.length <= 200 ? text : `${text.slice(0, 199)}…`
}

function differentTypes(expected: Json, actual: Json, path: string): Difference {
  return { path, problem: `expected ${typeOf(expected)}, is ${typeOf(actual)}: ${shown(actual)}` }
}

function withoutMessage(error: Json): Json {
  // One that has no message is to differ from one that has.
  return isObject(error) && 'message' in error ? { ...error, message: '' } : error
}
