import { defineMethod } from '../method.ts'

/**
 * Whether the node is in instant mode; ignition then expects a transaction to be sealed once sent.
 */
export default defineMethod({
  handle: ({ clocks }) => clocks.instant,
})
