import * as z from 'zod'
import type { TracerChoice } from '../../execution/tracing/createTracer.ts'
import type { BlockOverrides, StateOverrides } from '../../execution/types.ts'
import { blockOverrides } from './blockOverrides.ts'
import { goDuration } from './goDuration.ts'
import { flag, text } from './plain.ts'
import { quantity64, quantityOrNumber } from './quantity.ts'
import { type Context, wanted } from './reader.ts'
import { stateOverrides } from './stateOverrides.ts'
import { readTracer } from './tracerChoice.ts'

/** What is to be traced, and for how long. */
export interface TraceConfig {
  readonly tracer: TracerChoice
  /** ms. */
  readonly timeout: number
}

/** As {@link TraceConfig}, of a call. */
export interface TraceCallConfig extends TraceConfig {
  readonly stateOverrides: StateOverrides | undefined
  readonly blockOverrides: BlockOverrides | undefined
  /** Transactions of the block that run before the call; `undefined`: all. */
  readonly txIndex: bigint | undefined
}

/** Options of a trace; unknown fields are ignored, as in geth, and nothing means struct logs. */
export function traceConfig(): z.ZodType<TraceConfig> {
  return CONFIG
}

/** Options of the trace of a call. */
export function traceCallConfig(): z.ZodType<TraceCallConfig> {
  return CALL_CONFIG
}

/** ms that a trace may take where the request does not say, as in geth. */
const DEFAULT_TIMEOUT = 5000

const FIELDS = {
  tracer: text().nullish(),
  tracerConfig: z.unknown().optional(),
  timeout: goDuration().nullish(),
  // Of struct logs.
  enableMemory: flag().nullish(),
  disableMemory: flag().nullish(),
  disableStack: flag().nullish(),
  disableStorage: flag().nullish(),
  enableReturnData: flag().nullish(),
  disableReturnData: flag().nullish(),
  limit: quantityOrNumber().nullish(),
}

const PLAIN = z.object(FIELDS, wanted('an object'))

const WITH_CALL = z.object(
  {
    ...FIELDS,
    stateOverrides: stateOverrides().nullish(),
    blockOverrides: blockOverrides().nullish(),
    txIndex: quantity64().nullish(),
  },
  wanted('an object'),
)

/** What a request without a config asks for. */
export const NO_TRACE_CONFIG: TraceConfig = {
  tracer: structLogger({}),
  timeout: DEFAULT_TIMEOUT,
}

/** As {@link NO_TRACE_CONFIG}, for a call. */
export const NO_TRACE_CALL_CONFIG: TraceCallConfig = {
  ...NO_TRACE_CONFIG,
  stateOverrides: undefined,
  blockOverrides: undefined,
  txIndex: undefined,
}

const CONFIG: z.ZodType<TraceConfig> = PLAIN.transform(readConfig)

const CALL_CONFIG: z.ZodType<TraceCallConfig> = WITH_CALL.transform((fields, context) => ({
  ...readConfig(fields, context),
  stateOverrides: fields.stateOverrides ?? undefined,
  blockOverrides: fields.blockOverrides ?? undefined,
  txIndex: fields.txIndex ?? undefined,
}))

type Fields = z.output<typeof PLAIN>

function readConfig(fields: Fields, context: Context): TraceConfig {
  const timeout = fields.timeout ?? DEFAULT_TIMEOUT
  if (fields.tracer === undefined || fields.tracer === null) {
    return { tracer: structLogger(fields), timeout }
  }
  const paths = { name: ['tracer'], config: ['tracerConfig'] }
  const tracer = readTracer(fields.tracer, fields.tracerConfig ?? {}, context, paths)
  return { tracer, timeout }
}

/** Memory and return data only where they are asked for, in geth's present words or in its older ones. */
function structLogger(fields: Fields): TracerChoice {
  const { enableMemory, disableMemory, enableReturnData, disableReturnData } = fields
  return {
    name: 'structLogger',
    config: {
      enableMemory: isEnabled(enableMemory, disableMemory),
      enableReturnData: isEnabled(enableReturnData, disableReturnData),
      disableStack: fields.disableStack === true,
      disableStorage: fields.disableStorage === true,
      limit: Number(fields.limit ?? 0n),
    },
  }
}

type MaybeFlag = boolean | null | undefined

function isEnabled(enabled: MaybeFlag, disabled: MaybeFlag): boolean {
  return enabled ?? disabled === false
}
