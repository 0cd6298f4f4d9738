import { quantity } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  handle: ({ chain }) => quantity(chain.engine.chainId),
})
