import { defineMethod } from '../method.ts'
import { forkConfigs } from '../queries/forkConfigs.ts'

/** Hardforks by block number are in the fork id only: the method is for those by time (EIP-7910). */
export default defineMethod({
  handle: ({ chain }) => forkConfigs(chain),
})
