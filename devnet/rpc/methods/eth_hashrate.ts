import { defineMethod } from '../method.ts'

/** Nobody mines here. */
export default defineMethod({
  handle: () => '0x0',
})
