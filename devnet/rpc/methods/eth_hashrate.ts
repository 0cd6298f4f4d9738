import { defineMethod } from '../method.ts'

/** This node does not mine. */
export default defineMethod({
  handle: () => '0x0',
})
