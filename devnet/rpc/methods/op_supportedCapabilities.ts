import { defineMethod } from '../method.ts'

/** What a sequencer of the OP stack that pre-confirms says of itself. */
export default defineMethod({
  handle: () => ['flashblocksv1'],
})
