import { quantity } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'

/** Sealed blocks only: clients recognize a pre-confirmed receipt by its higher block number. */
export default defineMethod({
  handle: ({ chain }) => quantity(chain.head.number),
})
