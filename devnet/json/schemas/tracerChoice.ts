import * as z from 'zod'
import { shorten } from '../../primitives/errors.ts'
import type { TracerChoice } from '../../tracing/createTracer.ts'
import { type Context, fail, flag, nested, wanted } from '../params.ts'

/** A flag of a tracer; false if absent. */
export const option = () =>
  flag()
    .nullish()
    .transform((given) => given === true)

/** Options of each tracer; unknown fields are ignored, as in geth. */
const CALL = options({ onlyTopCall: option(), withLog: option() })
const FLAT = options({ convertParityErrors: option(), includePrecompiles: option() })
const PRESTATE = options({
  diffMode: option(),
  disableCode: option(),
  disableStorage: option(),
  includeEmpty: option(),
})
const ANY = options({})

function options<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape, wanted('an object'))
}

type Reader = (config: unknown, context: Context, path: PropertyKey[]) => TracerChoice

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  [
    'callTracer',
    (value, context, path) => ({
      name: 'callTracer',
      config: nested(CALL, value, context, ...path),
    }),
  ],
  [
    'prestateTracer',
    (value, context, path) => {
      const config = nested(PRESTATE, value, context, ...path)
      return config.diffMode && config.includeEmpty
        ? fail(context, 'cannot use diffMode with includeEmpty', path)
        : { name: 'prestateTracer', config }
    },
  ],
  ['4byteTracer', plain('4byteTracer')],
  ['noopTracer', plain('noopTracer')],
  [
    'flatCallTracer',
    (value, context, path) => ({
      name: 'flatCallTracer',
      config: nested(FLAT, value, context, ...path),
    }),
  ],
  ['muxTracer', readMux],
])

function plain(name: '4byteTracer' | 'noopTracer'): Reader {
  return (value, context, path) => {
    nested(ANY, value, context, ...path)
    return { name }
  }
}

function readMux(value: unknown, context: Context, path: PropertyKey[]): TracerChoice {
  nested(ANY, value, context, ...path)
  if (context.issues.length > 0) return z.NEVER
  const tracers: TracerChoice[] = []
  // The value is an object, as checked above.
  for (const [name, config] of Object.entries(value as object)) {
    if (name === 'muxTracer')
      return fail(context, 'no muxTracer inside of another', [...path, name])
    tracers.push(readTracer(name, config ?? {}, context, { name: path, config: [...path, name] }))
    if (context.issues.length > 0) return z.NEVER
  }
  return { name: 'muxTracer', tracers }
}

/**
 * The tracer with this name and these options.
 *
 * @param paths - where the name and the options are in the request, for error messages
 */
export function readTracer(
  name: string,
  config: unknown,
  context: Context,
  paths: { readonly name: PropertyKey[]; readonly config: PropertyKey[] },
): TracerChoice {
  const read = READERS.get(name)
  if (read !== undefined) return read(config, context, paths.config)
  const known = [...READERS.keys()].join(', ')
  return fail(
    context,
    `unknown tracer "${shorten(name, 30)}": there are ${known}, and struct logs if none is named; tracers in JavaScript are not supported`,
    paths.name,
  )
}
