import { defineMethod } from '../method.ts'

/** Whether the node is in instant mode: ignition then takes each transaction for sealed when it is sent. */
export default defineMethod({
  handle: ({ clocks }) => clocks.instant,
})
