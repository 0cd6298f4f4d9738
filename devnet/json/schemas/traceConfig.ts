import * as z from 'zod'
import type { BlockOverrides, StateOverrides } from '../../execution/types.ts'
import { shorten } from '../../primitives/errors.ts'
import type { TracerChoice } from '../../tracing/createTracer.ts'
import {
  type Context,
  fail,
  flag,
  quantity64,
  quantityOrNumber,
  reader,
  text,
  want,
  wanted,
} from '../params.ts'
import { blockOverrides } from './blockOverrides.ts'
import { stateOverrides } from './stateOverrides.ts'
import { option, readTracer } from './tracerChoice.ts'

/** Units of Go's durations, in ms. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/
const WHOLE = new RegExp(`^\\+?(?:${PART.source})+$`)
const PARTS = new RegExp(PART.source, 'g')

/** A duration as Go writes it, such as `5s` or `1m30s`; read as ms. */
const goDuration = (): z.ZodType<number> => DURATION

const DURATION = reader((value, context): number => {
  if (typeof value !== 'string') return fail(context, want('a duration such as "5s"', value))
  if (!WHOLE.test(value)) {
    return fail(
      context,
      `invalid duration "${shorten(value, 20)}", want one such as "5s" or "1m30s"`,
    )
  }
  let total = 0
  for (const [, digits, unit = ''] of value.matchAll(PARTS)) {
    total += Number(digits) * (UNITS[unit] ?? 0)
  }
  if (total > 0 && Number.isFinite(total)) return total
  const problem = total === 0 ? 'duration must be greater than zero' : 'duration is too long'
  return fail(context, `${problem}, got "${shorten(value, 20)}"`)
})

/** A tracer and its time limit. */
export interface TraceConfig {
  readonly tracer: TracerChoice
  /** ms per transaction. */
  readonly timeout: number
}

/** A {@link TraceConfig} for a call. */
export interface TraceCallConfig extends TraceConfig {
  readonly stateOverrides: StateOverrides | undefined
  readonly blockOverrides: BlockOverrides | undefined
  /** Number of the block's transactions that run before the call; `undefined`: all. */
  readonly txIndex: bigint | undefined
}

/** Options of a trace, struct logs by default; unknown fields are ignored, as in geth. */
export const traceConfig = (): z.ZodType<TraceConfig> => CONFIG

/** Options of the trace of a call. */
export const traceCallConfig = (): z.ZodType<TraceCallConfig> => CALL_CONFIG

/** Default time limit in ms, as in geth. */
const DEFAULT_TIMEOUT = 5000

const FIELDS = {
  tracer: text().nullish(),
  tracerConfig: z.unknown().optional(),
  timeout: goDuration().nullish(),
  // Options of struct logs.
  enableMemory: flag().nullish(),
  disableMemory: flag().nullish(),
  disableStack: option(),
  disableStorage: option(),
  enableReturnData: flag().nullish(),
  disableReturnData: flag().nullish(),
  limit: quantityOrNumber().nullish(),
}

const PLAIN = z.object(FIELDS, wanted('an object'))

type Fields = z.output<typeof PLAIN>

const WITH_CALL = z.object(
  {
    ...FIELDS,
    stateOverrides: stateOverrides().nullish(),
    blockOverrides: blockOverrides().nullish(),
    txIndex: quantity64().nullish(),
  },
  wanted('an object'),
)

const CONFIG: z.ZodType<TraceConfig> = PLAIN.transform(readConfig)

const CALL_CONFIG: z.ZodType<TraceCallConfig> = WITH_CALL.transform((fields, context) => ({
  ...readConfig(fields, context),
  stateOverrides: fields.stateOverrides ?? undefined,
  blockOverrides: fields.blockOverrides ?? undefined,
  txIndex: fields.txIndex ?? undefined,
}))

/** The default config. */
export const NO_TRACE_CONFIG = CONFIG.parse({})

/** As {@link NO_TRACE_CONFIG}, for a call. */
export const NO_TRACE_CALL_CONFIG = CALL_CONFIG.parse({})

function readConfig(fields: Fields, context: Context): TraceConfig {
  const timeout = fields.timeout ?? DEFAULT_TIMEOUT
  if (fields.tracer === undefined || fields.tracer === null) {
    return { tracer: structLogger(fields), timeout }
  }
  const paths = { name: ['tracer'], config: ['tracerConfig'] }
  const tracer = readTracer(fields.tracer, fields.tracerConfig ?? {}, context, paths)
  return { tracer, timeout }
}

/** Records memory and return data only on request, by geth's current or older option names. */
function structLogger(fields: Fields): TracerChoice {
  return {
    name: 'structLogger',
    config: {
      enableMemory: fields.enableMemory ?? fields.disableMemory === false,
      enableReturnData: fields.enableReturnData ?? fields.disableReturnData === false,
      disableStack: fields.disableStack,
      disableStorage: fields.disableStorage,
      limit: Number(fields.limit ?? 0n),
    },
  }
}
