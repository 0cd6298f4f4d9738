import { quantity } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'

/** Of the pending block, in wei. */
export default defineMethod({
  handle: ({ chain }) => quantity(chain.pending.environment.blobBaseFee),
})
