import type * as z from 'zod'
import { isObject } from '../../primitives/json.ts'
import { fail, nested, reader, want } from '../params.ts'

const parts = new WeakMap<z.ZodType, { readonly key: z.ZodType; readonly value: z.ZodType }>()

/** The schemas of a keyed object's keys and values; `undefined` for other schemas. */
export function keyedParts(schema: z.ZodType) {
  return parts.get(schema)
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
  // A reader does not expose the schemas of its parts, so record them here.
  parts.set(schema, { key, value })
  return schema
}
