import type * as z from 'zod'
import { isObject } from '../../primitives/json.ts'
import { fail, nested, reader, want } from '../params.ts'

/** The schemas of the keys and the values of a keyed object. */
export interface KeyedParts {
  readonly key: z.ZodType
  readonly value: z.ZodType
}

const parts = new WeakMap<z.ZodType, KeyedParts>()

/** What a keyed object is made of, for those who walk a schema; `undefined` for schemas of other kinds. */
export function keyedParts(schema: z.ZodType): KeyedParts | undefined {
  return parts.get(schema)
}

/**
 * An object whose keys have a schema of their own. Keys that are read as the same one are refused, because which
 * of them counts would hang on their order.
 */
export function keyedObject<Key, Value>(
  key: z.ZodType<Key>,
  value: z.ZodType<Value>,
  what: string,
): z.ZodType<ReadonlyMap<Key, Value>> {
  const schema = reader((given, context) => {
    if (!isObject(given)) return fail(context, want(what, given))
    const entries = new Map<Key, Value>()
    for (const [name, content] of Object.entries(given)) {
      const read = nested(key, name, context, name)
      if (context.issues.length > 0) break
      if (entries.has(read)) return fail(context, 'given twice', [name])
      entries.set(read, nested(value, content, context, name))
      if (context.issues.length > 0) break
    }
    return entries
  })
  // A reader by itself shows nothing of its inside.
  parts.set(schema, { key, value })
  return schema
}
