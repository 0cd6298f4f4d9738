import { shorten } from '../../primitives/errors.ts'
import {
  at,
  fail,
  flag,
  listOf,
  mapped,
  nullish,
  objectOf,
  type PathKey,
  type ReadContext,
  type Reader,
} from '../../primitives/reader.ts'
import type { TracerChoice } from '../../tracing/createTracer.ts'
import { quantity64 } from '../params.ts'

/** A flag of a tracer; false if absent. */
export const option = () => mapped(nullish(flag()), (given) => given === true)

/** Options of each tracer; unknown fields are ignored, as in geth. */
const CALL = objectOf({ fields: { onlyTopCall: option(), withLog: option() } })
const FLAT = objectOf({ fields: { convertParityErrors: option(), includePrecompiles: option() } })
const PRESTATE = objectOf({
  fields: {
    diffMode: option(),
    disableCode: option(),
    disableStorage: option(),
    includeEmpty: option(),
  },
})
/** As geth does, takes opcodes as quantities, and the last byte of each. */
const OPCODES = nullish(
  mapped(
    listOf(quantity64(), 'a list of opcodes'),
    (list) => new Set(list.map((opcode) => Number(opcode & 0xffn))),
  ),
)
const ERC7562 = objectOf({ fields: { ignoredOpcodes: OPCODES, withLog: option() } })
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
