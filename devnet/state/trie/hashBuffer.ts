import type { HashBuffer, Keccak256 } from '../types.ts'

/** Enough for all nodes but leaves with long values. */
const SIZE = 1024

/** The buffer of `keccak256`, or else one that hashes by it. */
export function hashBufferOf(keccak256: Keccak256): HashBuffer {
  if (keccak256.buffer !== undefined) return keccak256.buffer
  const input = new Uint8Array(SIZE)
  return {
    input,
    inputView: new DataView(input.buffer),
    hash(length) {
      const { buffer, byteOffset } = keccak256(input.subarray(0, length))
      return new DataView(buffer, byteOffset)
    },
  }
}
