import { bytesToText, writeText } from './latin1.ts'
import type { AddressKey, Keccak256, SlotKey } from './types.ts'

/** Keys in one generation: with two of them at most 5 MB, and room for the hot ones of 10,000 accounts. */
const GENERATION = 16_384

/**
 * The hashes under which accounts and slots stand in tries. Remembers the ones used lately: a full generation becomes the
 * old one, and what of that is not asked for again goes with it.
 */
export class HashedKeys {
  readonly #keccak256: Keccak256
  #young = new Map<AddressKey | SlotKey, string>()
  #old = new Map<AddressKey | SlotKey, string>()
  readonly #address = new Uint8Array(20)
  readonly #slot = new Uint8Array(32)

  constructor(keccak256: Keccak256) {
    this.#keccak256 = keccak256
  }

  /** keccak-256 of the key's bytes, as text. */
  of(key: AddressKey | SlotKey): string {
    const known = this.#young.get(key)
    if (known !== undefined) return known
    const hashed = this.#old.get(key) ?? this.#hash(key)
    if (this.#young.size >= GENERATION) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, hashed)
    return hashed
  }

  #hash(key: AddressKey | SlotKey): string {
    const bytes = key.length === this.#slot.length ? this.#slot : this.#address
    writeText(bytes, key, 0)
    return bytesToText(this.#keccak256(bytes))
  }
}
