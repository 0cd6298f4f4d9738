import { defineMethod } from '../method.ts'
import { forkConfigs } from '../queries/forkConfigs.ts'

/**
 * Hardforks by block number appear in the fork id only; the method covers those by time (EIP-7910).
 */
export default defineMethod({
  handle: ({ chain }) => forkConfigs(chain),
})
