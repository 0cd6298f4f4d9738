import { quantity } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'

/** Blob base fee of the pending block in wei. */
export default defineMethod({
  handle: ({ chain }) => quantity(chain.pending.environment.blobBaseFee),
})
