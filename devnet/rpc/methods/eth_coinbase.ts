import { toHex } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  handle: ({ chain }) => toHex(chain.settings.coinbase),
})
