import { defineMethod } from '../method.ts'

/** True if the node is in instant mode. If so, Ignition expects sent transactions to be sealed. */
export default defineMethod({
  handle: ({ clocks }) => clocks.instant,
})
