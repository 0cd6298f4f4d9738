import { bytesToText, EMPTY_BYTES } from '../primitives/bytes.ts'
import { fromHex } from '../primitives/hex.ts'
import type { Keccak256 } from './types.ts'

/** Code hash of accounts without code. Records refer to this very object. */
export const EMPTY_CODE_HASH = fromHex(
  '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
)

/** First bytes of a delegation (EIP-7702); the address follows. */
const DELEGATION = [0xef, 0x01, 0x00] as const
const DELEGATION_LENGTH = 23

/** Whether the code delegates to another account (EIP-7702). */
export function isDelegation(code: Uint8Array): boolean {
  return (
    code.length === DELEGATION_LENGTH && DELEGATION.every((byte, index) => code[index] === byte)
  )
}

/** A code and its hash, each one shared object. */
export interface CodeEntry {
  readonly hash: Uint8Array
  readonly code: Uint8Array
}

/** All codes ever committed, by hash; shared by all views of a store. */
export class Codes {
  readonly keccak256: Keccak256
  protected readonly entries = new Map<string, CodeEntry>()

  constructor(keccak256: Keccak256) {
    this.keccak256 = keccak256
  }

  /** The code with this hash, always the same object; empty if unknown. */
  get(codeHash: Uint8Array): Uint8Array {
    if (codeHash === EMPTY_CODE_HASH) return EMPTY_BYTES
    return this.find(bytesToText(codeHash))?.code ?? EMPTY_BYTES
  }

  /** Adds a copy of `code`; returns its hash, always the same object. */
  add(code: Uint8Array): Uint8Array {
    const entry = this.entryOf(code)
    this.adopt(entry)
    return entry.hash
  }

  /** The entry of `code`, or a new one, which is not added. */
  entryOf(code: Uint8Array): CodeEntry {
    if (code.length === 0) return EMPTY_ENTRY
    const hash = this.keccak256(code)
    // A copy: the array may be a view of a much larger one.
    return this.find(bytesToText(hash)) ?? { hash, code: new Uint8Array(code) }
  }

  /** Adds `entry`, unless the code is known. */
  adopt(entry: CodeEntry): void {
    if (entry.code.length === 0) return
    const key = bytesToText(entry.hash)
    if (this.find(key) === undefined) this.entries.set(key, entry)
  }

  /** @param key - latin-1 text of the hash */
  find(key: string): CodeEntry | undefined {
    return this.entries.get(key)
  }
}

const EMPTY_ENTRY: CodeEntry = { hash: EMPTY_CODE_HASH, code: EMPTY_BYTES }

/**
 * Codes of scratch changes. They become shared only when the changes are taken; otherwise the codes
 * of calls and estimates would be kept for ever.
 */
export class ScratchCodes extends Codes {
  readonly #shared: Codes

  constructor(shared: Codes) {
    super(shared.keccak256)
    this.#shared = shared
  }

  override find(key: string): CodeEntry | undefined {
    return super.find(key) ?? this.#shared.find(key)
  }

  /** The one object for this hash, so that records can be compared by identity. */
  canonical(codeHash: Uint8Array): Uint8Array {
    if (codeHash === EMPTY_CODE_HASH) return codeHash
    const key = bytesToText(codeHash)
    return key === EMPTY_HASH_TEXT ? EMPTY_CODE_HASH : (this.find(key)?.hash ?? codeHash)
  }

  /** Moves all codes to the shared ones. */
  publish(): void {
    for (const entry of this.entries.values()) this.#shared.adopt(entry)
    this.clear()
  }

  clear(): void {
    if (this.entries.size > 0) this.entries.clear()
  }

  copy(): ScratchCodes {
    const copy = new ScratchCodes(this.#shared)
    for (const [key, entry] of this.entries) copy.entries.set(key, entry)
    return copy
  }
}

const EMPTY_HASH_TEXT = bytesToText(EMPTY_CODE_HASH)
