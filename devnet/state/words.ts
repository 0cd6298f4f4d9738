import { EMPTY_BYTES } from './codes.ts'

const word = new Uint8Array(32)
const view = new DataView(word.buffer)

/**
 * Big-endian without leading zeros; empty for 0, as RLP wants it.
 *
 * @param value - below 2^256
 */
export function bigIntToBytes(value: bigint): Uint8Array {
  if (value === 0n) return EMPTY_BYTES
  let start = 32
  for (let rest = value; rest > 0n; rest >>= 64n) {
    start -= 8
    // Takes the low 64 bits.
    view.setBigUint64(start, rest)
  }
  while (word[start] === 0) start++
  return word.slice(start)
}

/** The form in which the state keeps a slot: without leading zeros, nothing for zero. */
export function withoutLeadingZeros(bytes: Uint8Array): Uint8Array {
  let start = 0
  while (start < bytes.length && bytes[start] === 0) start++
  if (start === bytes.length) return EMPTY_BYTES
  return start === 0 ? bytes : bytes.slice(start)
}
