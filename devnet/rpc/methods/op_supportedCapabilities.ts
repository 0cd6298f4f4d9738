import { defineMethod } from '../method.ts'

/** As a pre-confirming sequencer of the OP stack answers. */
export default defineMethod({
  handle: () => ['flashblocksv1'],
})
