import { defineMethod } from '../method.ts'

/** eth/68, what nodes of Ethereum speak with each other; this one has nobody to speak it with. */
export default defineMethod({
  handle: () => '0x44',
})
