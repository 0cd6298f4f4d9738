import type { z } from 'zod'
import { keyedParts } from '../../../../devnet/json/schemas/keyedObject.ts'

/** A place in what a schema reads, where one value of it stands. */
export interface Site {
  /** Where it is, for people. */
  readonly name: string
  readonly kind: 'object' | 'list' | 'flag' | 'text'
  readonly schema: z.ZodType
  /** Whether it may be `null` or left out. */
  readonly optional: boolean
  /** The whole with `value` here, and beside it only what must be. */
  readonly place: (value: unknown) => unknown
  /** For an object with keys of its own: the whole with this key. */
  readonly placeKey?: ((key: string) => unknown) | undefined
}

/** Every place in what `schema` reads, the whole included, by a walk through the schema itself. */
export function sitesOf(schema: z.ZodType): Site[] {
  const sites: Site[] = []
  walk(schema, '', (value) => value, sites)
  return sites
}

/** Values of which each text schema takes at least one. */
const TEXTS = ['0x1', `0x${'ab'.repeat(20)}`, `0x${'ab'.repeat(32)}`, 'latest']

/** A value that the schema takes, as small as can be. */
function sample(schema: z.ZodType): unknown {
  const inner = unwrap(schema)
  const { type } = inner._zod.def
  if (type === 'boolean') return true
  if (type === 'array') return []
  if (keyedParts(inner) !== undefined) return {}
  if (type === 'object') return sampleFields(shapeOf(inner))
  const found = TEXTS.find((text) => inner.safeParse(text).success)
  if (found === undefined) throw new Error('A schema takes none of the samples: add one to TEXTS')
  return found
}

function sampleFields(shape: Shape): object {
  const required = Object.entries(shape).filter(([, field]) => !isOptional(field))
  return Object.fromEntries(required.map(([name, field]) => [name, sample(field)]))
}

type Shape = Readonly<Record<string, z.ZodType>>

/** What zod keeps in its schemas, as far as it is looked at here. */
interface Definition {
  readonly type: string
  readonly innerType?: z.ZodType
  readonly in?: z.ZodType
  readonly element?: z.ZodType
  readonly shape?: Shape
}

function definition(schema: z.ZodType): Definition {
  return schema._zod.def as unknown as Definition
}

function isOptional(schema: z.ZodType): boolean {
  return schema.safeParse(undefined).success
}

/** Without what makes it optional, and without what becomes of it once it is read. */
function unwrap(schema: z.ZodType): z.ZodType {
  if (keyedParts(schema) !== undefined) return schema
  const { type, innerType, in: read } = definition(schema)
  if ((type === 'optional' || type === 'nullable') && innerType !== undefined) {
    return unwrap(innerType)
  }
  if (type !== 'pipe' || read === undefined) return schema
  // A reader: zod does not know what is in it.
  return definition(read).type === 'unknown' ? schema : unwrap(read)
}

function shapeOf(schema: z.ZodType): Shape {
  return definition(schema).shape ?? {}
}

function walk(schema: z.ZodType, name: string, place: Site['place'], sites: Site[]): void {
  const inner = unwrap(schema)
  const optional = isOptional(schema)
  const keyed = keyedParts(inner)
  const { type, element, shape } = definition(inner)
  const add = (kind: Site['kind'], placeKey?: Site['placeKey']) =>
    sites.push({ name, kind, schema: inner, optional, place, placeKey })
  if (keyed !== undefined) {
    add('object', (key) =>
      place(JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(sample(keyed.value))}}`)),
    )
    const key = String(sample(keyed.key))
    walk(keyed.value, `${name}[${key.slice(0, 6)}]`, (value) => place({ [key]: value }), sites)
  } else if (type === 'array' && element !== undefined) {
    add('list')
    walk(element, `${name}[0]`, (value) => place([value]), sites)
  } else if (type === 'object' && shape !== undefined) {
    add('object')
    const rest = sampleFields(shape)
    for (const [field, of] of Object.entries(shape)) {
      const at = name === '' ? field : `${name}.${field}`
      walk(of, at, (value) => place({ ...rest, [field]: value }), sites)
    }
  } else {
    add(type === 'boolean' ? 'flag' : 'text')
  }
}
