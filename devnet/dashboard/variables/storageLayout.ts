import { isObject } from '../../primitives/json.ts'

/** Storage of a contract as solc lays it out: the fields of a struct that begins at slot 0. */
export interface StorageLayout {
  /** In the order of their slots, as members are. */
  readonly fields: readonly Field[]
  readonly types: ReadonlyMap<string, StorageType>
}

/** A variable, or a member of a struct. */
interface Field {
  readonly label: string
  /** The slot in which it begins, counted from the begin of the struct. */
  readonly base: bigint
  /** In bytes, from the low end of the slot. */
  readonly offset: number
  /** In {@link StorageLayout.types}. */
  readonly type: string
}

export interface StorageType {
  /** As in the source, e.g. `mapping(address => uint256)`. */
  readonly label: string
  readonly encoding: 'inplace' | 'mapping' | 'dynamic_array' | 'bytes'
  /** In bytes. */
  readonly size: bigint
  /** Of a mapping. */
  readonly key: string | undefined
  /** Of the values of a mapping, or the elements of an array. */
  readonly inner: string | undefined
  /** Of a struct. */
  readonly members: readonly Field[] | undefined
}

const ENCODINGS: readonly unknown[] = ['inplace', 'mapping', 'dynamic_array', 'bytes']

/** Number of types and fields of all of them that are read, and of characters of a name. */
const MOST = 5000
const MAX_TEXT = 200

/** Reads the `storageLayout` of solc; `undefined` if it is none. It may be of any program. */
export function readStorageLayout(value: unknown): StorageLayout | undefined {
  if (!isObject(value)) return undefined
  const budget = { left: MOST }
  const fields = readFields(value.storage, budget)
  if (fields === undefined) return undefined
  const types = new Map<string, StorageType>()
  for (const [id, given] of Object.entries(isObject(value.types) ? value.types : {})) {
    const type = types.size < MOST ? readType(given, budget) : undefined
    if (type !== undefined) types.set(id, type)
  }
  return { fields, types }
}

function readFields(value: unknown, budget: { left: number }): readonly Field[] | undefined {
  if (!Array.isArray(value) || value.length > budget.left) return undefined
  budget.left -= value.length
  const fields = value.flatMap((field: unknown) => {
    if (!isObject(field)) return []
    const { label, slot, offset, type } = field
    if (typeof label !== 'string' || typeof type !== 'string') return []
    if (typeof offset !== 'number' || !(offset >= 0 && offset < 32)) return []
    if (typeof slot !== 'string' || !/^\d{1,78}$/.test(slot)) return []
    return [{ label: label.slice(0, MAX_TEXT), base: BigInt(slot), offset, type }]
  })
  return fields.sort((one, other) => Number(one.base - other.base))
}

function readType(value: unknown, budget: { left: number }): StorageType | undefined {
  if (!isObject(value)) return undefined
  const { label, encoding, numberOfBytes } = value
  if (typeof label !== 'string' || !ENCODINGS.includes(encoding)) return undefined
  if (typeof numberOfBytes !== 'string' || !/^[1-9]\d{0,77}$/.test(numberOfBytes)) return undefined
  const text = (name: unknown) => (typeof name === 'string' ? name : undefined)
  return {
    label: label.slice(0, MAX_TEXT),
    // Checked above.
    encoding: encoding as StorageType['encoding'],
    size: BigInt(numberOfBytes),
    key: text(value.key),
    inner: text(value.value) ?? text(value.base),
    members: readFields(value.members, budget),
  }
}
