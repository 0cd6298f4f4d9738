import { defineMethod } from '../method.ts'

/** The capabilities of an OP Stack sequencer with Flashblocks. */
export default defineMethod({
  handle: () => ['flashblocksv1'],
})
