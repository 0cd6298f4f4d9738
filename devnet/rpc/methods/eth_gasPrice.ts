import { quantity } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'
import { SUGGESTED_TIP } from '../queries/feeHistory.ts'

/** Gas price in wei that gets a transaction into the pending block. */
export default defineMethod({
  handle: ({ chain }) => quantity(chain.pending.environment.baseFeePerGas + SUGGESTED_TIP),
})
