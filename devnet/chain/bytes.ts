import { bigIntToBytes } from '../state/words.ts'
import type { Hex } from '../types.ts'

export const ZERO_HASH = new Uint8Array(32)
export const ZERO_ADDRESS = new Uint8Array(20)

// Buffer's own slices are native; the library's conversions go byte by byte.
const hexSlice: (this: Uint8Array, start: number, end: number) => string =
  Object.getOwnPropertyDescriptor(Buffer.prototype, 'hexSlice')?.value

/** Bytes as 0x-prefixed lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): Hex {
  return `0x${hexSlice.call(bytes, 0, bytes.length)}`
}

/** Bytes of 0x-prefixed hexadecimal with an even number of digits. */
export function fromHex(hex: string): Uint8Array {
  const buffer = Buffer.from(hex.slice(2), 'hex')
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length)
}

export function bytesToBigInt(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(toHex(bytes))
}

/** Big-endian on 32 bytes. */
export function bigIntTo32Bytes(value: bigint): Uint8Array {
  return padTo32(bigIntToBytes(value))
}

/** Zeros in front, up to 32 bytes. */
export function padTo32(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 32) return bytes
  const padded = new Uint8Array(32)
  padded.set(bytes, 32 - bytes.length)
  return padded
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const joined = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}
