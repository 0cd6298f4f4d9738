import { shorten } from '../../primitives/errors.ts'
import {
  anything,
  fail,
  flag,
  mapped,
  nullish,
  type Output,
  objectOf,
  orElse,
  type ReadContext,
  type Reader,
  refuse,
  text,
} from '../../primitives/reader.ts'
import { quantity64, quantityOrNumber, readValue } from '../params.ts'
import { blockOverrides } from './blockOverrides.ts'
import { stateOverrides } from './stateOverrides.ts'
import { option, readTracer, type TracerChoice } from './tracerChoice.ts'

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
const goDuration = (): Reader<number> => DURATION

const DURATION: Reader<number> = (value, context) => {
  if (typeof value !== 'string') return refuse(context, value, 'a duration such as "5s"')
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
}

export interface TraceConfig {
  readonly tracer: TracerChoice
  /** ms per transaction. */
  readonly timeout: number
}

export type StructLogConfig = Readonly<ReturnType<typeof readSteps>>

/** Options of a trace, struct logs by default; unknown fields are ignored, as in geth. */
export const traceConfig = () => CONFIG

/** As {@link traceConfig}, for a call. */
export const traceCallConfig = () => CALL_CONFIG

/** Default time limit in ms, as in geth. */
const DEFAULT_TIMEOUT = 5000

const FIELDS = {
  tracer: nullish(text()),
  tracerConfig: anything,
  timeout: nullish(goDuration()),
  // Options of struct logs.
  enableMemory: nullish(flag()),
  disableMemory: nullish(flag()),
  disableStack: option(),
  disableStorage: option(),
  enableReturnData: nullish(flag()),
  disableReturnData: nullish(flag()),
  limit: nullish(quantityOrNumber()),
}

const PLAIN = objectOf({ fields: FIELDS })

type Fields = Output<typeof PLAIN>

export const NO_TRACE_CONFIG = readValue(mapped(PLAIN, readConfig), {})

const CONFIG = orElse(mapped(PLAIN, readConfig), NO_TRACE_CONFIG)

const WITH_CALL = objectOf({
  fields: FIELDS,
  optional: {
    stateOverrides: stateOverrides(),
    blockOverrides: blockOverrides(),
    /** Number of the block's transactions that run before the call. Default: all */
    txIndex: quantity64(),
  },
})

const WHOLE_CALL_CONFIG = mapped(WITH_CALL, (fields, context) => {
  const { stateOverrides, blockOverrides, txIndex } = fields
  return { ...readConfig(fields, context), stateOverrides, blockOverrides, txIndex }
})

const CALL_CONFIG = orElse(WHOLE_CALL_CONFIG, readValue(WHOLE_CALL_CONFIG, {}))

function readConfig(fields: Fields, context: ReadContext): TraceConfig {
  const timeout = fields.timeout ?? DEFAULT_TIMEOUT
  // An empty name is none, too (execution-apis).
  if (!fields.tracer)
    return { tracer: { name: 'structLogger', config: readSteps(fields) }, timeout }
  const keys = { name: ['tracer'], config: 'tracerConfig' }
  const tracer = readTracer(fields.tracer, fields.tracerConfig ?? {}, context, keys)
  return { tracer, timeout }
}

/** Records memory and return data only on request, by geth's current or older option names. */
function readSteps(fields: Fields) {
  const { disableStack, disableStorage } = fields
  return {
    enableMemory: fields.enableMemory ?? fields.disableMemory === false,
    enableReturnData: fields.enableReturnData ?? fields.disableReturnData === false,
    disableStack,
    disableStorage,
    /** Steps after which recording stops (execution-apis; in geth: bytes); 0: no limit. */
    limit: Number(fields.limit ?? 0n),
  }
}
