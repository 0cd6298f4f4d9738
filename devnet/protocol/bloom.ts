import { type Hex, toHex } from '../primitives/hex.ts'

/**
 * The bits that logs set in a bloom (yellow paper 4.3.1), a character each, in any order: a
 * fraction of the bloom's 256 bytes, as a transaction has few logs.
 */
export type BloomBits = string

const SIZE = 256

const EMPTY_HEX = toHex(new Uint8Array(SIZE))

const scratch = new Uint8Array(SIZE)

export function bloomHex(bits: BloomBits): Hex {
  if (bits === '') return EMPTY_HEX
  scratch.fill(0)
  setBloomBits(scratch, bits)
  return toHex(scratch)
}

export function setBloomBits(target: Uint8Array, bits: BloomBits, offset = 0): void {
  // Bit 0 is the lowest of the last byte.
  const last = offset + SIZE - 1
  for (let index = 0; index < bits.length; index++) {
    const bit = bits.charCodeAt(index)
    const at = last - (bit >> 3)
    target[at] = (target[at] ?? 0) | (1 << (bit & 7))
  }
}

/** True if a bit is among these, 0 to 2047. */
export function hasBloomBit(bits: BloomBits, bit: number): boolean {
  return bits.includes(String.fromCharCode(bit))
}

/** The bits of a bloom of 256 bytes. */
export function bitsOfBloom(bloom: Uint8Array): BloomBits {
  const bits: number[] = []
  for (let at = 0; at < SIZE; at++) {
    const byte = bloom[at] ?? 0
    for (let low = 0; byte >> low !== 0; low++) {
      if (((byte >> low) & 1) === 1) bits.push(((SIZE - 1 - at) << 3) | low)
    }
  }
  return textOfBits(bits)
}

/** @param bits - at most a few thousand positions, 0 to 2047 */
export function textOfBits(bits: readonly number[]): BloomBits {
  return String.fromCharCode(...bits)
}
