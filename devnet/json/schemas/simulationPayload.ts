import type { BlockStateCall, SimulationPayload } from '../../execution/types.ts'
import { flag, listOf, objectOf, type Reader } from '../../primitives/reader.ts'
import { blockOverrides } from './blockOverrides.ts'
import { callRequest } from './callRequest.ts'
import { stateOverrides } from './stateOverrides.ts'

/** Parameter of `eth_simulateV1`; unknown fields are ignored, and `null` means absent. */
export const simulationPayload = (): Reader<SimulationPayload> => PAYLOAD

const BLOCK: Reader<BlockStateCall> = objectOf({
  optional: {
    blockOverrides: blockOverrides(),
    stateOverrides: stateOverrides(),
    calls: listOf(callRequest(), 'a list of calls'),
  },
})

const PAYLOAD: Reader<SimulationPayload> = objectOf({
  fields: { blockStateCalls: listOf(BLOCK, 'a list of blocks') },
  optional: { traceTransfers: flag(), validation: flag(), returnFullTransactions: flag() },
})
