import type * as z from 'zod'
import { fail, nested, quantityOrNumber, reader } from '../params.ts'

const MOST = 100

/** How many transactions a page of an `ots_` method has: 1 to 100. */
export const pageSize = (): z.ZodType<number> => PAGE_SIZE

const PAGE_SIZE = reader((value, context): number => {
  const size = nested(quantityOrNumber(), value, context)
  if (context.issues.length === 0 && (size < 1n || size > BigInt(MOST))) {
    return fail(context, `want a page size from 1 to ${MOST}, got ${size}`)
  }
  return Number(size)
})
