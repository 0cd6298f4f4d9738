/** Positions of the table: what was last seen with this hash, by 13 bits of it. */
const TABLE = new Uint32Array(8192)
const TABLE_MASK = 0x1fff

/** Farthest that a match may lie behind, in bytes. */
const WINDOW = 0x1fff
/** Bytes of a run of literals that share one byte of head. */
const LITERALS = 32
/** Bytes that one instruction of a match can copy. */
const LONGEST_MATCH = 262
/** From this length on, not counting the first byte, a match is encoded with one more byte. */
const LONG_MATCH = 6
/** Bytes at the end of the data where no match begins, and where none continues. */
const TAIL = 13
const UNMATCHED_TAIL = 4

/**
 * Length in bytes of `data` as `fastlz_compress` (level 1) would compress it. The OP Stack takes it
 * to estimate what a transaction adds to a batch.
 */
export function fastLzLength(data: Uint8Array): number {
  const { length } = data
  const limit = length < TAIL ? 0 : length - TAIL
  TABLE.fill(0)
  let total = 0
  /** Beginning of the literals that are not counted yet. */
  let anchor = 0
  let position = 2
  while (position < limit) {
    const match = findMatch(data, position, limit)
    if (match === undefined) break
    total += literalsLength(match.position - anchor)
    const copied = commonLength(
      data,
      match.earlier + 3,
      match.position + 3,
      length - UNMATCHED_TAIL,
    )
    total += matchLength(copied)
    position = match.position + copied
    TABLE[hashAt(data, position)] = position
    TABLE[hashAt(data, position + 1)] = position + 1
    position += 2
    anchor = position
  }
  return total + literalsLength(length - anchor)
}

/** The next three bytes from `start` on that lie in the window before them, too. */
function findMatch(
  data: Uint8Array,
  start: number,
  limit: number,
): { readonly position: number; readonly earlier: number } | undefined {
  for (let position = start; position < limit; position++) {
    const hash = hashAt(data, position)
    const earlier = TABLE[hash] ?? 0
    TABLE[hash] = position
    const isSame =
      position - earlier <= WINDOW && threeBytes(data, position) === threeBytes(data, earlier)
    // A match at the last position does not count.
    if (isSame) return position + 1 < limit ? { position, earlier } : undefined
  }
  return undefined
}

function threeBytes(data: Uint8Array, at: number): number {
  return (data[at] ?? 0) | ((data[at + 1] ?? 0) << 8) | ((data[at + 2] ?? 0) << 16)
}

function hashAt(data: Uint8Array, at: number): number {
  return (Math.imul(2654435769, threeBytes(data, at)) >>> 19) & TABLE_MASK
}

/** Number of bytes that are the same at both places, and one more for the first that differs. */
function commonLength(data: Uint8Array, first: number, second: number, end: number): number {
  let count = 0
  while (second + count < end) if (data[first + count] !== data[second + count++]) break
  return count
}

function literalsLength(count: number): number {
  const rest = count % LITERALS
  return (LITERALS + 1) * Math.floor(count / LITERALS) + (rest === 0 ? 0 : rest + 1)
}

/** @param copied - bytes, as {@link commonLength} counts them */
function matchLength(copied: number): number {
  const rest = copied - 1
  return 3 * Math.floor(rest / LONGEST_MATCH) + (rest % LONGEST_MATCH >= LONG_MATCH ? 3 : 2)
}
