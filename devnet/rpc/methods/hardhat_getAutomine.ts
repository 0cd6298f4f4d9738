import { defineMethod } from '../method.ts'

/** Whether the node is in instant mode. Ignition then expects sent transactions to be sealed. */
export default defineMethod({
  handle: ({ clocks }) => clocks.instant,
})
