import { quantity } from '../format/quantity.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  handle: ({ chain }) => quantity(chain.engine.chainId),
})
