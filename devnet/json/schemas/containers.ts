import * as z from 'zod'
import { shorten } from '../../primitives/errors.ts'
import { isObject } from '../../primitives/json.ts'
import { type Context, fail, locate, reader, readerOf, want } from '../params.ts'

// Written by hand, because zod takes several times as long for what most requests consist of.

/** What a container consists of: a reader does not show the schemas of its parts. */
type Parts =
  | { readonly kind: 'object'; readonly required: Shape; readonly optional: Shape }
  | { readonly kind: 'list'; readonly element: z.ZodType }
  | { readonly kind: 'keyed'; readonly key: z.ZodType; readonly value: z.ZodType }

const parts = new WeakMap<z.ZodType, Parts>()

/** The schemas in a schema of this file; `undefined` for other schemas. */
export function partsOf(schema: z.ZodType): Parts | undefined {
  return parts.get(schema)
}

function container<T>(made: Parts, read: (value: unknown, context: Context) => T): z.ZodType<T> {
  const schema = reader(read)
  parts.set(schema, made)
  return schema
}

/** Schemas of fields by name. */
type Shape = Readonly<Record<string, z.ZodType>>

/** The fields of an object that was read; absent ones are there as `undefined`. */
type FieldsOf<Required extends Shape, Optional extends Shape> = {
  readonly [Name in keyof Required]: z.output<Required[Name]>
} & { readonly [Name in keyof Optional]: z.output<Optional[Name]> | undefined }

/**
 * An object with these fields. An optional one may be absent or `null`.
 *
 * @param what - for error messages. Default: an object
 * @param isStrict - whether it refuses unknown fields, which it otherwise ignores
 */
export function objectOf<Required extends Shape, Optional extends Shape>({
  required,
  optional,
  what = 'an object',
  isStrict = false,
}: {
  readonly required: Required
  readonly optional: Optional
  readonly what?: string
  readonly isStrict?: boolean
}): z.ZodType<FieldsOf<Required, Optional>> {
  const fields = Object.entries({ ...required, ...optional }).map(([name, schema]) => ({
    name,
    read: readerOf(schema),
    isOptional: name in optional,
  }))
  // Copied, so that all objects of a schema have one shape.
  const blank = Object.fromEntries(fields.map(({ name }) => [name, undefined]))
  return container({ kind: 'object', required, optional }, (given, context) => {
    if (!isObject(given)) return fail(context, want(what, given))
    const values: Record<string, unknown> = { ...blank }
    const before = context.issues.length
    for (const { name, read, isOptional } of fields) {
      const value = given[name]
      if (isOptional && (value === undefined || value === null)) continue
      values[name] = read(value, context)
      if (context.issues.length > before) {
        locate(context, before, [name])
        return z.NEVER
      }
    }
    const unknown = isStrict && Object.keys(given).find((name) => !Object.hasOwn(blank, name))
    if (typeof unknown === 'string') {
      return fail(context, `unknown field ${shorten(JSON.stringify(unknown), 40)}`)
    }
    // Each field was read by its schema.
    return values as FieldsOf<Required, Optional>
  })
}

/** A list of such elements. */
export function listOf<Element>(element: z.ZodType<Element>, what: string): z.ZodType<Element[]> {
  const read = readerOf(element)
  return container({ kind: 'list', element }, (given, context) => {
    if (!Array.isArray(given)) return fail(context, want(what, given))
    const list: Element[] = []
    const before = context.issues.length
    for (let index = 0; index < given.length; index++) {
      list.push(read(given[index], context))
      if (context.issues.length > before) {
        locate(context, before, [index])
        return z.NEVER
      }
    }
    return list
  })
}

/**
 * An object whose keys have a schema. Refuses two spellings of the same key, because their order
 * would decide which one counts.
 */
export function keyedObject<Key, Value>(
  key: z.ZodType<Key>,
  value: z.ZodType<Value>,
  what: string,
): z.ZodType<ReadonlyMap<Key, Value>> {
  const [readKey, readMember] = [readerOf(key), readerOf(value)]
  return container({ kind: 'keyed', key, value }, (given, context) => {
    if (!isObject(given)) return fail(context, want(what, given))
    const entries = new Map<Key, Value>()
    for (const name of Object.keys(given)) {
      const read = readKey(name, context)
      if (context.issues.length === 0) {
        if (entries.has(read)) return fail(context, 'given twice', [name])
        entries.set(read, readMember(given[name], context))
      }
      if (context.issues.length === 0) continue
      locate(context, 0, [name])
      break
    }
    return entries
  })
}

/** As `schema`, and then what `next` makes of it, which may call {@link fail}. */
export function mapped<Value, Result>(
  schema: z.ZodType<Value>,
  next: (value: Value, context: Context) => Result,
): z.ZodType<Result> {
  const read = readerOf(schema)
  const made = reader((given, context) => {
    const before = context.issues.length
    const value = read(given, context)
    return context.issues.length > before ? z.NEVER : next(value, context)
  })
  const inner = parts.get(schema)
  if (inner !== undefined) parts.set(made, inner)
  return made
}
