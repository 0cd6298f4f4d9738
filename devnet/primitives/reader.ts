import { shorten } from './errors.ts'
import { isObject } from './json.ts'

/**
 * Checks a value from outside and returns what it means. Refuses it with {@link refuse} or
 * {@link fail}; whoever reads with {@link readWith} makes an error of its own from that.
 */
export type Reader<T> = (value: unknown, context: ReadContext) => T

export interface ReadContext {
  /** Path of the value being read; empty for the whole. */
  readonly path: PathKey[]
  /** True if quantities may be integers or decimal text, as on anvil. */
  readonly takesDecimals: boolean
  /** True if `0x` is the quantity 0, as in commands of Hardhat and anvil. Default: false */
  readonly takesEmpty?: boolean | undefined
  /** True if a call may have all fields of a sent transaction, as on anvil. Default: false */
  readonly takesSent?: boolean | undefined
}

/** A field's name, or an index in a list. */
export type PathKey = string | number

export type Output<R extends Reader<unknown>> = ReturnType<R>

/** A problem with a value. */
export type Problem =
  | 'type'
  | 'format'
  | 'range'
  | 'length'
  | 'scheme'
  | 'unsupported'
  | 'unknown-field'

/** The first problem of a value. Its message is a whole phrase, such as `want a list, got null`. */
export class ReadError extends Error {
  override name = 'ReadError'
  readonly path: readonly PathKey[]
  /** Completes `must be …`; `undefined` if only the message says it. */
  readonly expected: string | undefined
  readonly problem: Problem
  readonly value: unknown

  constructor(message: string, { path, expected, problem = 'format', value }: Details) {
    super(message)
    this.path = path
    this.expected = expected
    this.problem = problem
    this.value = value
  }
}

type Details = Pick<ReadError, 'path'> & Partial<Pick<ReadError, 'expected' | 'problem' | 'value'>>

/** Reads a value that is on its own. @param toError - makes the error of one that is refused */
export function readWith<T>(
  read: Reader<T>,
  value: unknown,
  toError: (error: ReadError) => Error,
): T {
  try {
    return read(value, { path: [], takesDecimals: false })
  } catch (error) {
    throw error instanceof ReadError ? toError(error) : error
  }
}

/** True if a reader takes the value. */
export function accepts(read: Reader<unknown>, value: unknown): boolean {
  try {
    read(value, { path: [], takesDecimals: false })
    return true
  } catch (error) {
    if (error instanceof ReadError) return false
    throw error
  }
}

/** Refuses the value being read, or its part at `part`, with these words. @throws {ReadError} */
export function fail({ path }: ReadContext, message: string, ...part: readonly PathKey[]): never {
  throw new ReadError(message, { path: [...path, ...part] })
}

/**
 * Refuses the value being read, or its part at `part`.
 *
 * @param expected - completes `want …` and `must be …`
 * @throws {ReadError}
 */
export function refuse(
  { path }: ReadContext,
  value: unknown,
  expected: string,
  problem: Problem = 'type',
  ...part: readonly PathKey[]
): never {
  const got = problem === 'type' || problem === 'unsupported' ? `, got ${kindOf(value)}` : ''
  const message = `want ${expected}${got}`
  throw new ReadError(message, { path: [...path, ...part], expected, problem, value })
}

/** The type of a value, such as `a list`. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

export function at<T>(context: ReadContext, key: PathKey, read: Reader<T>, value: unknown): T {
  context.path.push(key)
  const result = read(value, context)
  context.path.pop()
  return result
}

/** A path as text, such as `calls[0].to`. */
export function pathText(path: readonly PathKey[]): string {
  let text = ''
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`
    else text += `${text === '' ? '' : '.'}${shorten(key, LONGEST_KEY)}`
  }
  return text
}

/** Characters of a key in an error: strangers choose keys. An address or a hash fits. */
const LONGEST_KEY = 70

/** Any value, also none. */
export const anything: Reader<unknown> = (value) => value

/** true or false. */
export const flag = (): Reader<boolean> => FLAG

const FLAG: Reader<boolean> = (value, context) =>
  typeof value === 'boolean' ? value : refuse(context, value, 'true or false')

/**
 * Text, by default of any length.
 *
 * @param length - completes `want …` for text with too few or too many characters
 */
export function text(
  what = 'a string',
  { min = 0, max = Number.POSITIVE_INFINITY, length = `at most ${max} characters` }: Bounds = {},
): Reader<string> {
  return (value, context) => {
    if (typeof value !== 'string') return refuse(context, value, what)
    const { length: size } = value
    return size < min || size > max ? refuse(context, value, length, 'range') : value
  }
}

interface Bounds {
  readonly min?: number
  readonly max?: number
  readonly length?: string
}

export function number(what = 'a number'): Reader<number> {
  return (value, context) =>
    typeof value === 'number' && Number.isFinite(value) ? value : refuse(context, value, what)
}

/** A safe integer, with the words for one that is too small or too large. */
export function integer({
  min = Number.MIN_SAFE_INTEGER,
  max = Number.MAX_SAFE_INTEGER,
  what = 'an integer',
  least = `at least ${min}`,
  most = `at most ${max}`,
}: {
  readonly min?: number
  readonly max?: number
  readonly what?: string
  readonly least?: string
  readonly most?: string
} = {}): Reader<number> {
  return (value, context) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
      return refuse(context, value, what)
    }
    if (value < min) return refuse(context, value, least, 'range')
    return value > max ? refuse(context, value, most, 'range') : value
  }
}

/** An integer within bounds, which its error names. */
export function integerWithin(min: number, max = Number.MAX_SAFE_INTEGER): Reader<number> {
  const what = `an integer from ${min} to ${max}`
  return integer({ min, max, what, least: what, most: what })
}

/** One of these values. */
export function choice<const Value>(values: readonly Value[], what: string): Reader<Value> {
  return (value, context) => {
    const found = values.find((one) => one === value)
    return found === undefined ? refuse(context, value, what, 'unsupported') : found
  }
}

export type OptionalReader<T> = Reader<T> & {
  /** The reader of what is there. */
  readonly inner: Reader<unknown>
}

/** A value that may be `undefined`. As a parameter it may also be `null`. */
export function optional<T>(read: Reader<T>): OptionalReader<T | undefined> {
  return orElse<T | undefined>(read, undefined)
}

export function orElse<T>(read: Reader<T>, absent: T): OptionalReader<T> {
  return Object.assign(
    (value: unknown, context: ReadContext) => (value === undefined ? absent : read(value, context)),
    { inner: read },
  )
}

/** A value that may be `undefined` or `null`, which mean the same. */
export function nullish<T>(read: Reader<T>): Reader<T | undefined> {
  return (value, context) =>
    value === undefined || value === null ? undefined : read(value, context)
}

/**
 * The output of the first of several readers that takes the value. If none does, a reader that it
 * fits but for its range or its unknown fields says why.
 */
export function either<T>(what: string, ...readers: readonly Reader<T>[]): Reader<T> {
  return (value, context) => {
    const { path } = context
    const depth = path.length
    let nearest: ReadError | undefined
    for (const read of readers) {
      try {
        return read(value, context)
      } catch (error) {
        if (!(error instanceof ReadError)) throw error
        path.length = depth
        if (/^(?:range|unknown-field)$/.test(error.problem)) nearest ??= error
      }
    }
    if (nearest !== undefined) throw nearest
    return refuse(context, value, what)
  }
}

/** The output of `read`, and then that of `next` for it. */
export function mapped<Value, Result>(
  read: Reader<Value>,
  next: (value: Value, context: ReadContext) => Result,
): Reader<Result> {
  return (value, context) => next(read(value, context), context)
}

export type Shape = Readonly<Record<string, Reader<unknown>>>

/** The fields of an object that was read; absent ones are there as `undefined`. */
type FieldsOf<Fields extends Shape, Optional extends Shape> = {
  readonly [Name in keyof Fields]: Output<Fields[Name]>
} & { readonly [Name in keyof Optional]?: Output<Optional[Name]> | undefined }

/**
 * An object with these fields, read in their order.
 *
 * @param optional - fields that may be absent or `null`; read after the others
 * @param what - for error messages. Default: an object
 * @param isStrict - whether it refuses unknown fields, which it otherwise ignores
 * @param strictly - completes `must be …` for an object with unknown fields. Default: `what`
 */
export function objectOf<
  Fields extends Shape = Record<never, never>,
  Optional extends Shape = Record<never, never>,
>({
  fields,
  optional,
  what = 'an object',
  isStrict = false,
  strictly = what,
}: {
  readonly fields?: Fields
  readonly optional?: Optional
  readonly what?: string
  readonly isStrict?: boolean
  readonly strictly?: string
}): Reader<FieldsOf<Fields, Optional>> {
  const list = Object.entries<Reader<unknown>>({ ...fields, ...optional }).map(([name, read]) => ({
    name,
    read,
    isOptional: optional !== undefined && name in optional,
  }))
  // Copied, so that all objects of a reader have one shape.
  const blank = Object.fromEntries(list.map(({ name }) => [name, undefined]))
  return (given, context) => {
    if (!isObject(given)) return refuse(context, given, what)
    const values: Record<string, unknown> = { ...blank }
    for (const { name, read, isOptional } of list) {
      const value = given[name]
      if (isOptional && (value === undefined || value === null)) continue
      values[name] = at(context, name, read, value)
    }
    const unknown = isStrict && Object.keys(given).find((name) => !Object.hasOwn(blank, name))
    if (typeof unknown === 'string') {
      throw new ReadError(`unknown field ${shorten(JSON.stringify(unknown), 40)}`, {
        path: [...context.path],
        expected: strictly,
        problem: 'unknown-field',
        value: given,
      })
    }
    // Each field was read by its reader.
    return values as FieldsOf<Fields, Optional>
  }
}

/**
 * A list of such elements.
 *
 * @param length - completes `want …` for a list with too few or too many elements
 */
export function listOf<Element>(
  element: Reader<Element>,
  what: string,
  { min = 0, max = Number.POSITIVE_INFINITY, length = what }: Bounds = {},
): Reader<Element[]> {
  return (given, context) => {
    if (!Array.isArray(given)) return refuse(context, given, what)
    if (given.length < min || given.length > max) return refuse(context, given, length, 'range')
    const list: Element[] = []
    for (let index = 0; index < given.length; index++) {
      list.push(at(context, index, element, given[index]))
    }
    return list
  }
}

/** An object with keys of its own, whose members are alike. */
export function recordOf<Value>(
  member: Reader<Value>,
  what = 'an object',
): Reader<Readonly<Record<string, Value>>> {
  return mapped(keyedObject(text(), member, what), (members) => Object.fromEntries(members))
}

/**
 * As {@link recordOf}, with a reader for keys. Refuses two spellings of the same key, because their
 * order would decide which one counts.
 */
export function keyedObject<Key, Value>(
  key: Reader<Key>,
  member: Reader<Value>,
  what: string,
): Reader<ReadonlyMap<Key, Value>> {
  return (given, context) => {
    if (!isObject(given)) return refuse(context, given, what)
    const entries = new Map<Key, Value>()
    for (const name of Object.keys(given)) {
      context.path.push(name)
      const read = key(name, context)
      if (entries.has(read)) return fail(context, 'given twice')
      entries.set(read, member(given[name], context))
      context.path.pop()
    }
    return entries
  }
}
