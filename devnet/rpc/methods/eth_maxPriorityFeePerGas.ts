import { quantity } from '../format/quantity.ts'
import { defineMethod } from '../method.ts'
import { SUGGESTED_TIP } from '../suggestedFees.ts'

export default defineMethod({
  handle: () => quantity(SUGGESTED_TIP),
})
