import * as z from 'zod'
import type { BlockStateCall, SimulationPayload } from '../../execution/types.ts'
import { flag, wanted, withoutNulls } from '../params.ts'
import { blockOverrides } from './blockOverrides.ts'
import { callRequest } from './callRequest.ts'
import { stateOverrides } from './stateOverrides.ts'

/** Parameter of `eth_simulateV1`; unknown fields are ignored, and `null` means absent. */
export const simulationPayload = (): z.ZodType<SimulationPayload> => PAYLOAD

const BLOCK: z.ZodType<BlockStateCall> = z
  .object(
    {
      blockOverrides: blockOverrides().nullish(),
      stateOverrides: stateOverrides().nullish(),
      calls: z.array(callRequest(), wanted('a list of calls')).nullish(),
    },
    wanted('an object'),
  )
  .transform(withoutNulls)

const PAYLOAD: z.ZodType<SimulationPayload> = z
  .object(
    {
      blockStateCalls: z.array(BLOCK, wanted('a list of blocks')),
      traceTransfers: flag().nullish(),
      validation: flag().nullish(),
      returnFullTransactions: flag().nullish(),
    },
    wanted('an object'),
  )
  .transform(withoutNulls)
