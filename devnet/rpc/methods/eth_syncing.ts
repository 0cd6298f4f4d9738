import { defineMethod } from '../method.ts'

export default defineMethod({
  handle: () => false,
})
