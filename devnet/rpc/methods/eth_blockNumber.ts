import { quantity } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'

/** The newest sealed block's number. Pre-confirmed receipts are recognized by a higher one. */
export default defineMethod({
  handle: ({ chain }) => quantity(chain.head.number),
})
