import { quantity } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'

/** Base fee of the pending block in wei. */
export default defineMethod({
  handle: ({ chain }) => quantity(chain.pending.environment.baseFeePerGas),
})
