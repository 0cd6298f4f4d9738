import type { z } from 'zod'
import { fail, nested, reader, want } from './reader.ts'

/**
 * An object whose keys have a schema of their own. Keys that are read as the same one are refused, because which
 * of them counts would hang on their order.
 */
export function keyedObject<Key, Value>(
  key: z.ZodType<Key>,
  value: z.ZodType<Value>,
  what: string,
): z.ZodType<ReadonlyMap<Key, Value>> {
  return reader((given, context) => {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) {
      return fail(context, want(what, given))
    }
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
}
