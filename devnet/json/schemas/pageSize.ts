import { fail, mapped, type Reader } from '../../primitives/reader.ts'
import { quantityOrNumber } from '../params.ts'

const MOST = 100

/** Number of transactions on a page of an `ots_` method: 1 to 100. */
export const pageSize = (): Reader<number> => PAGE_SIZE

const PAGE_SIZE = mapped(quantityOrNumber(), (size, context): number =>
  size < 1n || size > BigInt(MOST)
    ? fail(context, `want a page size from 1 to ${MOST}, got ${size}`)
    : Number(size),
)
