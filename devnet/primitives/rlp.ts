import { bigIntToBytes } from './bytes.ts'

/** First byte of an empty string; for longer strings it is higher (yellow paper, appendix B). */
export const RLP_STRING = 0x80
/** First byte of an empty list; for longer lists it is higher. */
export const RLP_LIST = 0xc0

/** Longest content, in bytes, whose length fits in the first byte of the head. */
export const RLP_SHORT = 55

/** Length of the longest head: its first byte, and eight bytes for the content's length. */
export const MAX_HEAD_LENGTH = 9

export function rlpStringLength(bytes: Uint8Array): number {
  return isOwnEncoding(bytes) ? 1 : headLength(bytes.length) + bytes.length
}

/** Encoded length of a list with `length` bytes of content. */
export function rlpListLength(length: number): number {
  return headLength(length) + length
}

/** Writes the head for `length` bytes of content; returns the offset after it. */
export function writeRlpHead(
  target: Uint8Array,
  offset: number,
  base: typeof RLP_STRING | typeof RLP_LIST,
  length: number,
): number {
  if (length <= RLP_SHORT) {
    target[offset] = base + length
    return offset + 1
  }
  const size = lengthOfLength(length)
  target[offset] = base + RLP_SHORT + size
  for (let index = size, rest = length; index > 0; index--) {
    target[offset + index] = rest & 0xff
    rest = Math.floor(rest / 256)
  }
  return offset + 1 + size
}

/** Writes `bytes` as a string; returns the offset after it. */
export function writeRlpString(target: Uint8Array, offset: number, bytes: Uint8Array): number {
  const start = isOwnEncoding(bytes)
    ? offset
    : writeRlpHead(target, offset, RLP_STRING, bytes.length)
  target.set(bytes, start)
  return start + bytes.length
}

/** Encoded length of a number, which is a string without leading zeros. */
export function rlpNumberLength(value: bigint): number {
  if (value > SMALL) return rlpStringLength(bigIntToBytes(value))
  const small = Number(value)
  return small < RLP_STRING ? 1 : 1 + lengthOfLength(small)
}

/** Writes a number as a string; returns the offset after it. */
export function writeRlpNumber(target: Uint8Array, offset: number, value: bigint): number {
  if (value > SMALL) return writeRlpString(target, offset, bigIntToBytes(value))
  const small = Number(value)
  if (small < RLP_STRING) {
    target[offset] = small === 0 ? RLP_STRING : small
    return offset + 1
  }
  const size = lengthOfLength(small)
  target[offset] = RLP_STRING + size
  for (let index = size, rest = small; index > 0; index--) {
    target[offset + index] = rest & 0xff
    rest = Math.floor(rest / 256)
  }
  return offset + 1 + size
}

/** Up to here a number is converted without an array. */
const SMALL = BigInt(Number.MAX_SAFE_INTEGER)

/** Encodes `bytes` as a string, in a new array. */
export function encodeRlpString(bytes: Uint8Array): Uint8Array {
  const encoded = new Uint8Array(rlpStringLength(bytes))
  writeRlpString(encoded, 0, bytes)
  return encoded
}

/**
 * Encodes a list of strings.
 *
 * @param scratch - array to encode into if it is long enough: the result is then a view of it,
 * valid until its next use. Default: a new array
 */
export function encodeRlpList(items: readonly Uint8Array[], scratch?: Uint8Array): Uint8Array {
  let length = 0
  for (const item of items) length += rlpStringLength(item)
  const total = rlpListLength(length)
  const fits = scratch !== undefined && total <= scratch.length
  const encoded = fits ? scratch.subarray(0, total) : new Uint8Array(total)
  let offset = writeRlpHead(encoded, 0, RLP_LIST, length)
  for (const item of items) offset = writeRlpString(encoded, offset, item)
  return encoded
}

export type RlpInput = Uint8Array | readonly RlpInput[]

/** Encodes an item of any depth. @param type - a byte before it, as in EIP-2718; default: none */
export function encodeRlp(item: RlpInput, type?: number): Uint8Array {
  const start = type === undefined ? 0 : 1
  const encoded = new Uint8Array(start + rlpLength(item))
  if (type !== undefined) encoded[0] = type
  writeRlp(encoded, start, item)
  return encoded
}

export function rlpLength(item: RlpInput): number {
  return isString(item) ? rlpStringLength(item) : rlpListLength(contentLength(item))
}

function writeRlp(target: Uint8Array, start: number, item: RlpInput): number {
  if (isString(item)) return writeRlpString(target, start, item)
  let offset = writeRlpHead(target, start, RLP_LIST, contentLength(item))
  for (const part of item) offset = writeRlp(target, offset, part)
  return offset
}

function contentLength(items: readonly RlpInput[]): number {
  let length = 0
  for (const item of items) length += rlpLength(item)
  return length
}

function isString(item: RlpInput): item is Uint8Array {
  return item instanceof Uint8Array
}

/** True if `bytes` is its own encoding: a single byte below 0x80. */
function isOwnEncoding(bytes: Uint8Array): boolean {
  return bytes.length === 1 && (bytes[0] ?? 0) < RLP_STRING
}

function lengthOfLength(length: number): number {
  let size = 1
  for (let rest = length; rest > 0xff; rest = Math.floor(rest / 256)) size++
  return size
}

function headLength(length: number): number {
  return length <= RLP_SHORT ? 1 : 1 + lengthOfLength(length)
}
