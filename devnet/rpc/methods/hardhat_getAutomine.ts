import { defineMethod } from '../method.ts'

/** False: no transaction is sealed when it arrives. */
export default defineMethod({
  handle: () => false,
})
