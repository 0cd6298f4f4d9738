import { defineMethod } from '../method.ts'
import { forkConfigs } from '../queries/forkConfigs.ts'

/** Lists the hardforks scheduled by time (EIP-7910). Others appear only in the fork id. */
export default defineMethod({
  handle: ({ chain }) => forkConfigs(chain),
})
