import { defineMethod } from '../method.ts'

export default defineMethod({
  handle: ({ chain }) => String(chain.engine.chainId),
})
