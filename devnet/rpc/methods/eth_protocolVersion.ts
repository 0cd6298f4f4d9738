import { defineMethod } from '../method.ts'

/** eth/68, though this node has no peers. */
export default defineMethod({
  handle: () => '0x44',
})
