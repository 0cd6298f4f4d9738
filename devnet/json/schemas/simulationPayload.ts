import type * as z from 'zod'
import type { BlockStateCall, SimulationPayload } from '../../execution/types.ts'
import { flag } from '../params.ts'
import { blockOverrides } from './blockOverrides.ts'
import { callRequest } from './callRequest.ts'
import { listOf, objectOf } from './containers.ts'
import { stateOverrides } from './stateOverrides.ts'

/** Parameter of `eth_simulateV1`; unknown fields are ignored, and `null` means absent. */
export const simulationPayload = (): z.ZodType<SimulationPayload> => PAYLOAD

const BLOCK: z.ZodType<BlockStateCall> = objectOf({
  required: {},
  optional: {
    blockOverrides: blockOverrides(),
    stateOverrides: stateOverrides(),
    calls: listOf(callRequest(), 'a list of calls'),
  },
})

const PAYLOAD: z.ZodType<SimulationPayload> = objectOf({
  required: { blockStateCalls: listOf(BLOCK, 'a list of blocks') },
  optional: { traceTransfers: flag(), validation: flag(), returnFullTransactions: flag() },
})
