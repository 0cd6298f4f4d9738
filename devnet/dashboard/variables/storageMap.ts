import { bigIntTo32Bytes, bytesToBigInt } from '../../primitives/bytes.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { Paced } from '../../primitives/paced.ts'
import type { Keccak256 } from '../../state/types.ts'
import { keyParts, type PathPart } from './slotValues.ts'
import type { StorageLayout, StorageType } from './storageLayout.ts'

/** A variable that lies in a slot, alone or beside others. */
export interface Place {
  readonly path: readonly PathPart[]
  readonly type: StorageType
  readonly slot: bigint
  /** In bytes, from the low end of the slot. */
  readonly offset: number
  /** Word of a long string or byte array that the slot holds, from 0; otherwise `undefined`. */
  readonly word?: bigint | undefined
}

/** A range of slots that a hash begins: a value of a mapping, elements of an array, or bytes. */
interface Area {
  readonly path: readonly PathPart[]
  readonly base: bigint
  readonly holds: 'value' | 'elements' | 'bytes'
  /** Id of the type of a value or an element. */
  readonly inner: string
  /** The type that has the area. */
  readonly type: StorageType
}

/** Slots that are taken for elements or bytes of the hash before them. */
const LONGEST = 2n ** 40n

/** Types, of a variable and what it nests, that are looked at for one slot. */
const MOST_TYPES = 128

/** Variables that one slot has room for. */
const MOST_IN_SLOT = 32

/** Maximum number of slots of a contract, and of passes over its preimages. */
const MOST_SLOTS = 2000
const MOST_LOOKS = 4

/** Finds the variables that lie in slots of a contract. */
export class StorageMap {
  readonly #layout: StorageLayout
  readonly #keccak256: Keccak256
  /** By their base. */
  readonly #areas: Area[] = []
  /** Of {@link MOST_TYPES}: a struct may hold itself, and more than once. */
  #left = 0

  constructor(layout: StorageLayout, keccak256: Keccak256) {
    this.#layout = layout
    this.#keccak256 = keccak256
  }

  /**
   * Learns where its variables lie.
   *
   * @param preimages - what the execution hashed, in its order: keys of mappings with their slot,
   * and slots of arrays
   */
  *learn(preimages: readonly Uint8Array[]): Paced<void> {
    for (const slot of this.#fixedSlots()) {
      this.addLength(slot)
      yield
    }
    const left = new Set(preimages)
    // Code mostly hashes parents first; but compilers precompute hashes of constants: look again.
    for (let look = 0; look < MOST_LOOKS; look++) {
      for (const preimage of left) {
        if (this.#addPreimage(preimage)) left.delete(preimage)
        yield
      }
    }
  }

  /** The variables in a slot; none if it is not known. */
  placesAt(slot: bigint): readonly Place[] {
    this.#left = MOST_TYPES
    const own = this.#inStruct(this.#layout.fields, [], 0n, slot)
    if (own.length > 0) return own
    const area = this.#areaAt(slot)
    if (area === undefined) return []
    const { base, path, type, inner, holds } = area
    if (holds === 'value') return this.#inType(inner, path, base, 0, slot)
    if (holds === 'elements') return this.#inElements(inner, path, base, undefined, slot)
    return [{ path, type, slot, offset: 0, word: slot - base }]
  }

  /** Adds the bytes of a string, or the elements of an array, that the slot has the length of. */
  addLength(slot: bigint): void {
    this.#addPreimage(bigIntTo32Bytes(slot))
  }

  /** @returns whether it is a key or a slot of this contract */
  #addPreimage(preimage: Uint8Array): boolean {
    if (preimage.length < 32) return false
    const key = preimage.subarray(0, -32)
    const [parent] = this.placesAt(bytesToBigInt(preimage.subarray(-32)))
    if (parent === undefined || parent.word !== undefined) return false
    const { path, type } = parent
    const { encoding, inner = '' } = type
    let area: Pick<Area, 'path' | 'holds'> | undefined
    if (key.length === 0) {
      if (encoding === 'dynamic_array') area = { path, holds: 'elements' }
      if (encoding === 'bytes') area = { path, holds: 'bytes' }
    } else if (encoding === 'mapping') {
      const keyType = this.#layout.types.get(type.key ?? '')
      const parts = keyType && keyParts(keyType, key)
      if (parts !== undefined) area = { path: [...path, '[', ...parts, ']'], holds: 'value' }
    }
    if (area === undefined) return false
    const base = bytesToBigInt(this.#keccak256(preimage))
    const index = countUpTo(this.#areas, base)
    if (this.#areas[index - 1]?.base !== base) {
      this.#areas.splice(index, 0, { ...area, base, inner, type })
    }
    return true
  }

  #areaAt(slot: bigint): Area | undefined {
    const area = this.#areas[countUpTo(this.#areas, slot) - 1]
    return area !== undefined && slot - area.base < LONGEST ? area : undefined
  }

  #inStruct(
    fields: StorageLayout['fields'],
    path: readonly PathPart[],
    base: bigint,
    slot: bigint,
  ): Place[] {
    const dot = path.length === 0 ? '' : '.'
    const last = countUpTo(fields, slot - base)
    const before = countUpTo(fields, (fields[last - 1]?.base ?? 0n) - 1n)
    return fields
      .slice(before, Math.min(last, before + MOST_IN_SLOT))
      .flatMap(({ label, base: at, offset, type }) =>
        this.#inType(type, [...path, `${dot}${label}`], base + at, offset, slot),
      )
  }

  #inType(
    id: string,
    path: readonly PathPart[],
    base: bigint,
    offset: number,
    slot: bigint,
  ): Place[] {
    const type = this.#left-- > 0 ? this.#layout.types.get(id) : undefined
    if (type === undefined) return []
    if (type.members !== undefined) return this.#inStruct(type.members, path, base, slot)
    if (type.encoding === 'inplace' && type.inner !== undefined) {
      return this.#inElements(type.inner, path, base, lengthOf(type), slot)
    }
    return slot === base ? [{ path, type, slot, offset }] : []
  }

  /** @param length - `undefined` for a dynamic array */
  #inElements(
    id: string,
    path: readonly PathPart[],
    base: bigint,
    length: bigint | undefined,
    slot: bigint,
  ): Place[] {
    const type = this.#layout.types.get(id)
    if (type === undefined || slot < base) return []
    const each = slotsOf(type.size)
    const isPacked = each === 1n && type.members === undefined && type.inner === undefined
    const inSlot = isPacked ? Number(32n / type.size) : 1
    const first = ((slot - base) / each) * BigInt(inSlot)
    return Array.from({ length: inSlot }, (_, position) => position).flatMap((position) => {
      const index = first + BigInt(position)
      if (length !== undefined && index >= length) return []
      const begin = base + (index / BigInt(inSlot)) * each
      const offset = position * Number(type.size)
      return this.#inType(id, [...path, `[${index}]`], begin, offset, slot)
    })
  }

  /** Slots that variables have from the start: no trace shows the hash of such a slot. */
  *#fixedSlots(): Generator<bigint> {
    let left = MOST_SLOTS
    for (const { base, type } of this.#layout.fields) {
      const size = slotsOf(this.#layout.types.get(type)?.size ?? 0n)
      for (let at = 0n; at < size && left-- > 0; at++) yield base + at
    }
  }
}

/** Number of items that begin at the slot, or before it; they are in order. */
function countUpTo(items: readonly { readonly base: bigint }[], slot: bigint): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((items[middle]?.base ?? 0n) <= slot) low = middle + 1
    else high = middle
  }
  return low
}

function slotsOf(bytes: bigint): bigint {
  return (bytes + 31n) / 32n
}

/** Length of an array of fixed length, which its name ends with. */
function lengthOf({ label }: StorageType): bigint {
  return BigInt(/\[(\d+)\]$/.exec(label)?.[1] ?? 0)
}

/** The path in one line, e.g. `positions[Account #7].shares`. */
export function pathText(path: readonly PathPart[], nameOf: (address: Hex) => string): string {
  return path.map((part) => (typeof part === 'string' ? part : nameOf(part.address))).join('')
}
