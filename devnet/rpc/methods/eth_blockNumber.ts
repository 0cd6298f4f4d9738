import { quantity } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'

/** The newest sealed block: clients recognize pre-confirmed receipts by their higher number. */
export default defineMethod({
  handle: ({ chain }) => quantity(chain.head.number),
})
