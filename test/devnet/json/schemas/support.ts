import type { z } from 'zod'
import { params } from '../../../../devnet/json/params.ts'

/** What a schema reads, or the message with which a method with this one parameter would refuse it. */
export function read(schema: z.ZodType, value: unknown): unknown {
  try {
    return params(schema).read([value])[0]
  } catch (error) {
    return error instanceof Error ? error.message : error
  }
}
