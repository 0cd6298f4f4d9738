import { defineMethod } from '../method.ts'
import { clientVersion } from '../nodeInfo.ts'

export default defineMethod({
  handle: ({ chain }) => clientVersion(chain),
})
