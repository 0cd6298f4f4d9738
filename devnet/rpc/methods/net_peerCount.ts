import { defineMethod } from '../method.ts'

/** A devnet has no peers. */
export default defineMethod({
  handle: () => '0x0',
})
