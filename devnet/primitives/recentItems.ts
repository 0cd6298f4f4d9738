/** Items that are remembered: a power of two. */
const PLACES = 1024

/** Bytes that occurred lately, each with what was made of it, so that what repeats is kept once. */
export class RecentItems<Item extends { readonly bytes: Uint8Array }> {
  readonly #make: (source: Uint8Array, at: number, length: number) => Item
  readonly #items: (Item | undefined)[] = new Array(PLACES).fill(undefined)

  /** @param make - makes the item of `length` bytes at `at` of `source` */
  constructor(make: (source: Uint8Array, at: number, length: number) => Item) {
    this.#make = make
  }

  /** The item with these bytes, which takes the place of another one if it is new. */
  of(source: Uint8Array, at = 0, length = source.length): Item {
    const end = at + length
    // Addresses and amounts differ at their ends, hashes everywhere.
    const place =
      ((source[end - 1] ?? 0) ^
        ((source[end - 2] ?? 0) << 2) ^
        (source[end - 12] ?? 0) ^
        (length << 5)) &
      (PLACES - 1)
    const known = this.#items[place]
    if (known !== undefined && isSame(known.bytes, source, at, length)) return known
    const item = this.#make(source, at, length)
    this.#items[place] = item
    return item
  }
}

function isSame(bytes: Uint8Array, source: Uint8Array, at: number, length: number): boolean {
  if (bytes === source) return true
  if (bytes.length !== length) return false
  for (let index = 0; index < length; index++) {
    if (bytes[index] !== source[at + index]) return false
  }
  return true
}

/** Numbers that are remembered. */
const NUMBERS = 251

const numbers: bigint[] = new Array(NUMBERS).fill(0n)

/** An equal number that occurred lately, if there is one, so that what repeats is kept once. */
export function recentNumber(value: bigint): bigint {
  const place = Number(value) % NUMBERS
  const known = numbers[place]
  if (known === value) return known
  numbers[place] = value
  return value
}

/** Bytes of one pool: many of the copies that history keeps, and few that outlive the others. */
const POOL = 4096

/**
 * Copies of short arrays that are kept. Each is a view of a larger one: an array of 32 bytes takes
 * 250 bytes of memory, and a view 140.
 */
export class PooledCopies {
  #pool: Uint8Array = new Uint8Array(0)
  #used = 0

  /** A copy of the `length` bytes at `at` of `source`; not to be written to. */
  of(source: Uint8Array, at: number, length: number): Uint8Array {
    if (length > POOL / 16) return source.slice(at, at + length)
    if (this.#used + length > this.#pool.length) {
      this.#pool = new Uint8Array(POOL)
      this.#used = 0
    }
    const begin = this.#used
    this.#used += length
    const copy = this.#pool.subarray(begin, this.#used)
    for (let index = 0; index < length; index++) copy[index] = source[at + index] ?? 0
    return copy
  }
}
