import { flag, listOf, type Output, objectOf } from '../../primitives/reader.ts'
import { blockOverrides } from './blockOverrides.ts'
import { callRequest } from './callRequest.ts'
import { stateOverrides } from './stateOverrides.ts'

/** Parameter of `eth_simulateV1`; unknown fields are ignored, and `null` means absent. */
export const simulationPayload = () => PAYLOAD

export type SimulationPayload = Output<typeof PAYLOAD>

/** One block to simulate. */
export type BlockStateCall = Output<typeof BLOCK>

const BLOCK = objectOf({
  optional: {
    blockOverrides: blockOverrides(),
    stateOverrides: stateOverrides(),
    calls: listOf(callRequest(), 'a list of calls'),
  },
})

const PAYLOAD = objectOf({
  fields: { blockStateCalls: listOf(BLOCK, 'a list of blocks') },
  optional: {
    /** Adds a log for each transfer of ether. Default: false. */
    traceTransfers: flag(),
    /** Enforces nonces and base fee. Default: false. */
    validation: flag(),
    /** Shows full transactions instead of hashes. Default: false. */
    returnFullTransactions: flag(),
  },
})
