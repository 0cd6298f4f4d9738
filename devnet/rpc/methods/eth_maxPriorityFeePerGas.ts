import { quantity } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'
import { SUGGESTED_TIP } from '../queries/feeHistory.ts'

export default defineMethod({
  handle: () => quantity(SUGGESTED_TIP),
})
