import { bytesToText, EMPTY_BYTES } from '../primitives/bytes.ts'
import { fromHex } from '../primitives/hex.ts'
import type { Keccak256 } from './types.ts'

/** Hash of no code: keccak-256 of nothing. All records share this object: compare by identity. */
export const EMPTY_CODE_HASH = fromHex(
  '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
)

/** First bytes of a delegation (EIP-7702); an address of 20 bytes follows. */
export const DELEGATION = Uint8Array.of(0xef, 0x01, 0x00)
const DELEGATION_LENGTH = 23

/** All contract code ever committed, by hash; shared by all views of a store. */
export class Codes {
  readonly keccak256: Keccak256
  protected entries = new Map<string, CodeEntry>()

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

  /** Returns the entry of `code`. If it is unknown, makes an entry without adding it. */
  entryOf(code: Uint8Array): CodeEntry {
    if (code.length === 0) return EMPTY_ENTRY
    const hash = this.keccak256(code)
    // A copy: the array may be a view of a much larger one.
    return this.find(bytesToText(hash)) ?? { hash, code: new Uint8Array(code) }
  }

  /** Adds `entry`, unless its code is already known. */
  adopt(entry: CodeEntry): void {
    if (entry.code.length === 0) return
    const key = bytesToText(entry.hash)
    if (this.find(key) === undefined) this.entries.set(key, entry)
  }

  /** @param key - the hash as latin-1 text */
  find(key: string): CodeEntry | undefined {
    return this.entries.get(key)
  }
}

/** True if the code delegates to another account (EIP-7702). */
export function isDelegation(code: Uint8Array): boolean {
  return (
    code.length === DELEGATION_LENGTH && DELEGATION.every((byte, index) => code[index] === byte)
  )
}

/** The code of a contract and its hash. Both objects are shared by all their users. */
export interface CodeEntry {
  readonly hash: Uint8Array
  readonly code: Uint8Array
}

const EMPTY_ENTRY: CodeEntry = { hash: EMPTY_CODE_HASH, code: EMPTY_BYTES }

/**
 * Codes on top of shared ones: of a branch, or of scratch changes. The latter become shared only
 * when the changes are taken; otherwise the store would keep the codes of calls and gas estimates
 * for ever.
 */
export class ScratchCodes extends Codes {
  #shared: Codes

  constructor(shared: Codes) {
    super(shared.keccak256)
    this.#shared = shared
  }

  override find(key: string): CodeEntry | undefined {
    return super.find(key) ?? this.#shared.find(key)
  }

  /** Returns the one object for this hash, so that code hashes can be compared by identity. */
  canonical(codeHash: Uint8Array): Uint8Array {
    if (codeHash === EMPTY_CODE_HASH) return codeHash
    const key = bytesToText(codeHash)
    return key === EMPTY_HASH_TEXT ? EMPTY_CODE_HASH : (this.find(key)?.hash ?? codeHash)
  }

  /** Moves all codes to the shared {@link Codes}. */
  publish(): void {
    for (const entry of this.entries.values()) this.#shared.adopt(entry)
    this.clear()
  }

  /** @param shared - the ones to lie on from now on. Default: as before */
  clear(shared = this.#shared): void {
    this.#shared = shared
    // Not cleared: V8 makes a cleared Map refer to its next table, so that garbage lives on.
    if (this.entries.size > 0) this.entries = new Map()
  }

  copy(): ScratchCodes {
    const copy = new ScratchCodes(this.#shared)
    for (const [key, entry] of this.entries) copy.entries.set(key, entry)
    return copy
  }
}

const EMPTY_HASH_TEXT = bytesToText(EMPTY_CODE_HASH)
