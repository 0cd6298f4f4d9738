import { EMPTY_BYTES } from '../../primitives/bytes.ts'
import { addressKeyAt, slotKeyAt } from '../../state/keys.ts'
import type { AddressKey, SlotKey } from '../../state/types.ts'
import { HOST_WORDS, WORD } from './layout.ts'

const LIMB = 64n

/** A memory as a `WebAssembly.Instance` exports it. */
export interface LinearMemory {
  readonly buffer: ArrayBuffer
}

/**
 * The core's memory as the host sees it. A word is 32 bytes with the least significant first; `at`
 * is its offset, a multiple of 8.
 */
export class CoreMemory {
  readonly #memory: LinearMemory
  readonly #reverse: (from: number, to: number) => void
  u8: Uint8Array
  u32: Uint32Array
  f64: Float64Array
  u64: BigUint64Array

  /** @param reverse - the core's own: copies a word with its bytes turned around */
  constructor(memory: LinearMemory, reverse: (from: number, to: number) => void) {
    this.#memory = memory
    this.#reverse = reverse
    const { buffer } = memory
    this.u8 = new Uint8Array(buffer)
    this.u32 = new Uint32Array(buffer)
    this.f64 = new Float64Array(buffer)
    this.u64 = new BigUint64Array(buffer)
  }

  /** Renews the views if the core's memory has grown, which detaches the old ones. */
  renew(): void {
    if (this.u8.length !== 0) return
    const { buffer } = this.#memory
    this.u8 = new Uint8Array(buffer)
    this.u32 = new Uint32Array(buffer)
    this.f64 = new Float64Array(buffer)
    this.u64 = new BigUint64Array(buffer)
  }

  word(at: number): bigint {
    const { u64 } = this
    const index = at >> 3
    // A shift makes a new number, and most words are small.
    const low = u64[index] ?? 0n
    const second = u64[index + 1] ?? 0n
    const third = u64[index + 2] ?? 0n
    const high = u64[index + 3] ?? 0n
    if ((third | high) === 0n) return second === 0n ? low : (second << LIMB) | low
    return (((((high << LIMB) | third) << LIMB) | second) << LIMB) | low
  }

  /** @param value - below 2^256 */
  setWord(at: number, value: bigint): void {
    // Most calls move no ether.
    if (value === 0n) {
      this.setSmallWord(at, 0)
      return
    }
    const { u64 } = this
    const index = at >> 3
    u64[index] = BigInt.asUintN(64, value)
    u64[index + 1] = BigInt.asUintN(64, value >> 64n)
    u64[index + 2] = BigInt.asUintN(64, value >> 128n)
    u64[index + 3] = BigInt.asUintN(64, value >> 192n)
  }

  /** The word if it is below 2^32, or else `Infinity`. */
  smallWord(at: number): number {
    const { u32 } = this
    const index = at >> 2
    for (let limb = 1; limb < 8; limb++) if (u32[index + limb] !== 0) return Infinity
    return u32[index] ?? 0
  }

  /** @param value - below 2^32 */
  setSmallWord(at: number, value: number): void {
    const { u32 } = this
    const index = at >> 2
    u32[index] = value
    for (let limb = 1; limb < 8; limb++) u32[index + limb] = 0
  }

  isZero(at: number): boolean {
    const { u32 } = this
    const index = at >> 2
    for (let limb = 0; limb < 8; limb++) if (u32[index + limb] !== 0) return false
    return true
  }

  slotKey(at: number): SlotKey {
    this.#reverse(at, HOST_WORDS)
    return slotKeyAt(this.u8, HOST_WORDS)
  }

  /** The address in the word's last 20 bytes as the key of an account. */
  addressKey(at: number): AddressKey {
    this.#reverse(at, HOST_WORDS)
    return addressKeyAt(this.u8, HOST_WORDS + WORD - 20)
  }

  /** Sets a word to its eight limbs, as {@link keyLimbs} makes them. */
  setLimbs(at: number, limbs: Uint32Array): void {
    const { u32 } = this
    const index = at >> 2
    for (let limb = 0; limb < 8; limb++) u32[index + limb] = limbs[limb] ?? 0
  }

  /** The word's 32 bytes, most significant first, in a new array. */
  wordBytes(at: number): Uint8Array {
    this.#reverse(at, HOST_WORDS)
    return this.u8.slice(HOST_WORDS, HOST_WORDS + WORD)
  }

  /** The word's bytes without leading zeros, in a new array. */
  trimmedBytes(at: number): Uint8Array {
    const { u8 } = this
    let length = WORD
    while (length > 0 && u8[at + length - 1] === 0) length--
    if (length === 0) return EMPTY_BYTES
    const bytes = new Uint8Array(length)
    for (let index = 0; index < length; index++) bytes[index] = u8[at + length - 1 - index] ?? 0
    return bytes
  }

  /** @param bytes - most significant first, at most 32 */
  setBytes(at: number, bytes: Uint8Array): void {
    const { u8, u32 } = this
    for (let index = at >> 2, end = index + 8; index < end; index++) u32[index] = 0
    for (let index = 0, last = bytes.length - 1; index <= last; index++) {
      u8[at + index] = bytes[last - index] ?? 0
    }
  }
}

/** A key as the eight limbs of a word, the least significant first. */
export function keyLimbs(key: AddressKey | SlotKey): Uint32Array {
  const limbs = new Uint32Array(8)
  const bytes = new Uint8Array(limbs.buffer)
  for (let index = 0, last = key.length - 1; index <= last; index++) {
    bytes[index] = key.charCodeAt(last - index)
  }
  return limbs
}
