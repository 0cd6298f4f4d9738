import { bytesToBigInt } from '../../primitives/bytes.ts'
import { shorten } from '../../primitives/errors.ts'
import { type Hex, toHex } from '../../primitives/hex.ts'
import type { StorageType } from './storageLayout.ts'

/** Text, or an address to be named. */
export type PathPart = string | { readonly address: Hex }

/** Longest text of a value or a key, in characters. */
const MAX_TEXT = 300

/** A value that needs at most one slot, from its bytes: decimal, hexadecimal or a word. */
export function valueText(
  { label, size }: Pick<StorageType, 'label' | 'size'>,
  word: Uint8Array,
  offset = 0,
): string {
  const bytes = word.subarray(32 - offset - Number(size), 32 - offset)
  const number = bytesToBigInt(bytes)
  if (label === 'bool') return number > 1n ? String(number) : String(number === 1n)
  if (/^uint\d+$|^enum /.test(label)) return String(number)
  if (/^int\d+$/.test(label)) return String(BigInt.asIntN(8 * bytes.length, number))
  // Of a type that the user named, solc tells only the size.
  return toHex(bytes)
}

/** A key of a mapping as its path shows it; `undefined` if it does not fit the type. */
export function keyParts(type: StorageType, key: Uint8Array): readonly PathPart[] | undefined {
  if (type.encoding === 'bytes') {
    return [type.label === 'string' ? quoted(key) : shorten(toHex(key), MAX_TEXT)]
  }
  if (key.length !== 32) return undefined
  if (isAddress(type)) return [{ address: toHex(key.subarray(-20)) }]
  // `bytesN` is aligned to the left, numbers to the right.
  const isHigh = /^bytes\d+$/.test(type.label)
  return [valueText(type, key, isHigh ? 32 - Number(type.size) : 0)]
}

function isAddress({ label, size }: StorageType): boolean {
  return size === 20n && /^(?:address|contract )/.test(label)
}

/** Bytes as text in quotes. */
function quoted(bytes: Uint8Array): string {
  return JSON.stringify(shorten(Buffer.from(bytes).toString(), MAX_TEXT))
}

/** Length in bytes that the slot of a string or byte array tells, and whether it holds them too. */
export function lengthIn(word: Uint8Array): { readonly length: bigint; readonly isLong: boolean } {
  const number = bytesToBigInt(word)
  const isLong = (number & 1n) === 1n
  return { length: isLong ? (number - 1n) / 2n : (number & 0xffn) / 2n, isLong }
}

/** A string or byte array as text. */
export function bytesText({ label }: StorageType, bytes: Uint8Array): string {
  return label === 'string' ? quoted(bytes) : shorten(toHex(bytes), MAX_TEXT)
}
