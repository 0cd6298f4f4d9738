import type { z } from 'zod'
import { flag } from '../../../../devnet/json/params.ts'
import { partsOf } from '../../../../devnet/json/schemas/containers.ts'

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
  const parts = partsOf(schema)
  if (schema === flag()) return true
  if (parts?.kind === 'list') return []
  if (parts?.kind === 'keyed') return {}
  if (parts?.kind === 'object') return sampleFields(parts.required)
  const found = TEXTS.find((text) => schema.safeParse(text).success)
  if (found === undefined) throw new Error('A schema takes none of the samples: add one to TEXTS')
  return found
}

function sampleFields(shape: Readonly<Record<string, z.ZodType>>): object {
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, sample(field)]))
}

function walk(
  schema: z.ZodType,
  name: string,
  place: Site['place'],
  sites: Site[],
  optional = false,
): void {
  const parts = partsOf(schema)
  const add = (kind: Site['kind'], placeKey?: Site['placeKey']) =>
    sites.push({ name, kind, schema, optional, place, placeKey })
  if (parts?.kind === 'keyed') {
    add('object', (key) =>
      place(JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(sample(parts.value))}}`)),
    )
    const key = String(sample(parts.key))
    walk(parts.value, `${name}[${key.slice(0, 6)}]`, (value) => place({ [key]: value }), sites)
  } else if (parts?.kind === 'list') {
    add('list')
    walk(parts.element, `${name}[0]`, (value) => place([value]), sites)
  } else if (parts?.kind === 'object') {
    add('object')
    const rest = sampleFields(parts.required)
    for (const [field, of] of Object.entries({ ...parts.required, ...parts.optional })) {
      const at = name === '' ? field : `${name}.${field}`
      const isOptional = field in parts.optional
      walk(of, at, (value) => place({ ...rest, [field]: value }), sites, isOptional)
    }
  } else {
    add(schema === flag() ? 'flag' : 'text')
  }
}
