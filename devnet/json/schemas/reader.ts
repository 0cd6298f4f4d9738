import * as z from 'zod'
import { FIRST_ISSUE_ONLY, shorten } from './issues.ts'

/** What zod hands to a transform, as far as it is used here. */
export type Context = z.core.ParsePayload

/** A schema for one value, read by a function: it answers the value in our form, or {@link fail}s. */
export function reader<T>(read: (value: unknown, context: Context) => T): z.ZodType<T> {
  return z.unknown().transform(read)
}

/** Refuses the value that is being read, or what is at `path` in it; to be returned. */
export function fail(context: Context, message: string, path: PropertyKey[] = []): never {
  context.issues.push({ code: 'custom', message, input: undefined, path })
  return z.NEVER
}

/** Reads `value`, which was found at `path` in the value being read, by its own schema. */
export function nested<T>(
  schema: z.ZodType<T>,
  value: unknown,
  context: Context,
  ...path: PropertyKey[]
): T {
  const result = schema.safeParse(value, FIRST_ISSUE_ONLY)
  if (result.success) return result.data
  const [issue] = result.error.issues
  return fail(context, issue?.message ?? 'malformed', [...path, ...(issue?.path ?? [])])
}

/** Error option for a schema of zod's own: says what is wanted, and what came instead. */
export function wanted(what: string): { error: z.core.$ZodErrorMap } {
  return {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown field ${shorten(JSON.stringify(issue.keys[0]), 40)}`
        : want(what, issue.input),
  }
}

/** `want an address, got a number`. */
export function want(what: string, got: unknown): string {
  return `want ${what}, got ${kindOf(got)}`
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
