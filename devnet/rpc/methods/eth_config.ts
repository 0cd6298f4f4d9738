import { defineMethod } from '../method.ts'
import { forkConfigs } from '../queries/forkConfigs.ts'

/** Lists hardforks by time (EIP-7910). Those by block number appear only in the fork id. */
export default defineMethod({
  handle: ({ chain }) => forkConfigs(chain),
})
