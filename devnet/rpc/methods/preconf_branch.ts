import { defineMethod } from '../method.ts'

/** Opens a second chain that begins where this one is; answers its id and path. */
export default defineMethod({
  browser: false,
  handle: ({ branches }) => branches.open(),
})
