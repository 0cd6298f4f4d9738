import { accepts, type Reader } from '../../../../devnet/primitives/reader.ts'

/** A place in what a reader takes, where one value of it stands. */
export interface Site {
  /** Where it is, for people. */
  readonly name: string
  readonly kind: 'object' | 'list' | 'flag' | 'text'
  /** Whether it may be `null` or left out. */
  readonly optional: boolean
  /** The whole with `value` here, and beside it only what must be. */
  readonly place: (value: unknown) => unknown
  /** Whether the reader takes the whole with `value` here. */
  readonly takes: (value: unknown) => boolean
  /** For an object with keys of its own: the whole with this key. */
  readonly placeKey?: ((key: string) => unknown) | undefined
}

/** Every place in what a reader takes, the whole included: found by what it looks at. */
export function sitesOf(read: Reader<unknown>): Site[] {
  const sites: Site[] = []

  function walk(name: string, place: Site['place'], optional = false): void {
    const takes = (value: unknown) => accepts(read, place(value))
    const add = (kind: Site['kind'], placeKey?: Site['placeKey']) =>
      sites.push({ name, kind, optional, place, takes, placeKey })
    if (takes(true)) add('flag')
    else if (TEXTS.some(takes)) add('text')
    else if (takes([])) {
      add('list')
      walk(`${name}[0]`, (value) => place([value]))
    } else {
      const { names, required, hasOwnKeys } = fieldsOf(takes)
      if (hasOwnKeys) {
        const { key, member } = memberOf(takes)
        add('object', (other) =>
          place(JSON.parse(`{${JSON.stringify(other)}:${JSON.stringify(member)}}`)),
        )
        walk(`${name}[${key.slice(0, 6)}]`, (value) => place({ [key]: value }))
        return
      }
      add('object')
      for (const field of names) {
        const at = name === '' ? field : `${name}.${field}`
        walk(at, (value) => place({ ...required, [field]: value }), !(field in required))
      }
    }
  }

  walk('', (value) => value)
  return sites
}

/** Values of which each text reader takes at least one. */
const TEXTS = ['0x1', `0x${'ab'.repeat(20)}`, `0x${'ab'.repeat(32)}`, 'latest']
/** Values of which each reader takes at least one, unless it needs fields. */
const SAMPLES = [true, [], {}, ...TEXTS]

/** The fields that the reader of an object looks at, with samples of those that must be there. */
function fieldsOf(takes: Site['takes']) {
  const required: Record<string, unknown> = {}
  for (;;) {
    const { names, isTaken, hasOwnKeys } = lookAt(required, takes)
    if (isTaken) return { names, required, hasOwnKeys }
    const missing = names.at(-1) ?? ''
    const sample = SAMPLES.find((value) => {
      const next = lookAt({ ...required, [missing]: value }, takes)
      return next.isTaken || next.names.at(-1) !== missing
    })
    if (sample === undefined) throw new Error(`${missing} is none of SAMPLES: add one`)
    required[missing] = sample
  }
}

function lookAt(value: Readonly<Record<string, unknown>>, takes: Site['takes']) {
  const names: string[] = []
  let hasOwnKeys = false
  const isTaken = takes(
    new Proxy(value, {
      get(target, name) {
        names.push(String(name))
        return Reflect.get(target, name)
      },
      ownKeys(target) {
        // A strict reader asks for the keys too, but after its fields.
        hasOwnKeys = names.length === 0
        return Reflect.ownKeys(target)
      },
    }),
  )
  return { names, isTaken, hasOwnKeys }
}

/** A key and a member of an object with keys of its own. */
function memberOf(takes: Site['takes']): { readonly key: string; readonly member: unknown } {
  for (const key of TEXTS) {
    const member = SAMPLES.find((value) => takes({ [key]: value }))
    if (member !== undefined) return { key, member }
  }
  throw new Error('An object takes none of the samples: add one to SAMPLES')
}
