import { shorten } from '../../primitives/errors.ts'
import {
  at,
  fail,
  flag,
  listOf,
  mapped,
  nullish,
  type Output,
  objectOf,
  type PathKey,
  type ReadContext,
  type Reader,
} from '../../primitives/reader.ts'
import { quantity64 } from '../params.ts'
import type { StructLogConfig } from './traceConfig.ts'

export type TracerChoice =
  | { readonly name: 'structLogger'; readonly config: StructLogConfig }
  | { readonly name: 'callTracer'; readonly config: CallTracerConfig }
  | { readonly name: 'flatCallTracer'; readonly config: FlatCallConfig }
  | { readonly name: 'prestateTracer'; readonly config: PrestateConfig }
  | { readonly name: 'erc7562Tracer'; readonly config: Erc7562Config }
  | { readonly name: '4byteTracer' | 'noopTracer' }
  | { readonly name: 'muxTracer'; readonly tracers: readonly TracerChoice[] }
  /** Of the dashboard; no request names it. */
  | { readonly name: 'failureTracer' | 'preimages' }
  /** Of the `ots_` methods; no request names it. */
  | { readonly name: 'otterscan'; readonly list: 'frames' | 'operations' }

/** A flag of a tracer; false if absent. */
export const option = () => mapped(nullish(flag()), (given) => given === true)

export type CallTracerConfig = Output<typeof CALL>
export type FlatCallConfig = Output<typeof FLAT>
export type PrestateConfig = Output<typeof PRESTATE>
export type Erc7562Config = Output<typeof ERC7562>

/** Options of each tracer; unknown fields are ignored, as in geth. */
const CALL = objectOf({
  fields: {
    /** Records only the outermost frame. */
    onlyTopCall: option(),
    withLog: option(),
  },
})
const FLAT = objectOf({
  fields: {
    /** Reports errors in Parity's words instead of geth's. */
    convertParityErrors: option(),
    /** Also records calls to precompiles. */
    includePrecompiles: option(),
  },
})
const PRESTATE = objectOf({
  fields: {
    /** Shows what the transaction changed, before and after, instead of all that it accessed. */
    diffMode: option(),
    disableCode: option(),
    disableStorage: option(),
    /** Also shows accounts that were empty; refused together with `diffMode`. */
    includeEmpty: option(),
  },
})
/** As geth does, takes opcodes as quantities, and the last byte of each. */
const OPCODES = nullish(
  mapped(
    listOf(quantity64(), 'a list of opcodes'),
    (list): ReadonlySet<number> => new Set(list.map((opcode) => Number(opcode & 0xffn))),
  ),
)
/** geth's `stackTopItemsSize` is not read: no answer depends on it. */
const ERC7562 = objectOf({
  fields: {
    /** Opcodes that are not counted. Default: those that no rule is about */
    ignoredOpcodes: OPCODES,
    withLog: option(),
  },
})
const ANY = objectOf({})

const READERS: ReadonlyMap<string, Reader<TracerChoice>> = new Map<string, Reader<TracerChoice>>([
  ['callTracer', mapped(CALL, (config) => ({ name: 'callTracer', config }))],
  [
    'prestateTracer',
    mapped(PRESTATE, (config, context) =>
      config.diffMode && config.includeEmpty
        ? fail(context, 'cannot use diffMode with includeEmpty')
        : { name: 'prestateTracer', config },
    ),
  ],
  ['4byteTracer', mapped(ANY, () => ({ name: '4byteTracer' }))],
  ['noopTracer', mapped(ANY, () => ({ name: 'noopTracer' }))],
  ['flatCallTracer', mapped(FLAT, (config) => ({ name: 'flatCallTracer', config }))],
  ['erc7562Tracer', mapped(ERC7562, (config) => ({ name: 'erc7562Tracer', config }))],
  ['muxTracer', readMux],
])

/** The names of the tracers that requests may name. */
export const tracerNames = [...READERS.keys()].join(', ')

function readMux(value: unknown, context: ReadContext): TracerChoice {
  ANY(value, context)
  const tracers: TracerChoice[] = []
  // The value is an object, as checked above.
  for (const [name, config] of Object.entries(value as object)) {
    if (name === 'muxTracer') return fail(context, 'no muxTracer inside of another', name)
    tracers.push(readTracer(name, config ?? {}, context, { name: [], config: name }))
  }
  return { name: 'muxTracer', tracers }
}

/**
 * The tracer with this name and these options.
 *
 * @param keys - where the name and the options are in the value being read
 */
export function readTracer(
  name: string,
  config: unknown,
  context: ReadContext,
  keys: { readonly name: readonly PathKey[]; readonly config: PathKey },
): TracerChoice {
  const read = READERS.get(name)
  if (read !== undefined) return at(context, keys.config, read, config)
  return fail(
    context,
    `unknown tracer "${shorten(name, 30)}": there are ${tracerNames}, and struct logs if none is named; tracers in JavaScript are not supported: a bundler takes erc7562Tracer`,
    ...keys.name,
  )
}
