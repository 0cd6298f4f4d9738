import { clientVersion } from '../clientVersion.ts'
import { defineMethod } from '../method.ts'

export default defineMethod({
  handle: () => clientVersion,
})
