import { type CodeEntry, type Codes, EMPTY_BYTES, EMPTY_CODE_HASH } from './codes.ts'
import { bytesToText } from './latin1.ts'

/**
 * Codes that scratch changes brought. They reach the shared ones only when the changes are taken: those of a call or an
 * estimate would otherwise be kept for ever.
 */
export class ScratchCodes {
  readonly shared: Codes
  readonly #entries = new Map<string, CodeEntry>()

  constructor(shared: Codes) {
    this.shared = shared
  }

  /** The code with this hash, empty where it is in neither place. */
  get(codeHash: Uint8Array): Uint8Array {
    if (codeHash === EMPTY_CODE_HASH) return EMPTY_BYTES
    return this.#find(codeHash)?.code ?? EMPTY_BYTES
  }

  /** Keeps `code` for now; answers its hash. */
  add(code: Uint8Array): Uint8Array {
    const entry = this.shared.entryOf(code)
    const key = bytesToText(entry.hash)
    const known = this.#entries.get(key)
    if (known !== undefined) return known.hash
    if (code.length > 0 && this.shared.find(key) === undefined) this.#entries.set(key, entry)
    return entry.hash
  }

  /** The object that stands for this hash, so that records can be compared by identity. */
  canonical(codeHash: Uint8Array): Uint8Array {
    if (codeHash === EMPTY_CODE_HASH) return codeHash
    if (bytesToText(codeHash) === EMPTY_HASH_TEXT) return EMPTY_CODE_HASH
    return this.#find(codeHash)?.hash ?? codeHash
  }

  /** Hands everything over to the shared codes. */
  publish(): void {
    for (const entry of this.#entries.values()) this.shared.adopt(entry)
    this.clear()
  }

  clear(): void {
    if (this.#entries.size > 0) this.#entries.clear()
  }

  copy(): ScratchCodes {
    const copy = new ScratchCodes(this.shared)
    for (const [key, entry] of this.#entries) copy.#entries.set(key, entry)
    return copy
  }

  #find(codeHash: Uint8Array): CodeEntry | undefined {
    const key = bytesToText(codeHash)
    return this.#entries.get(key) ?? this.shared.find(key)
  }
}

const EMPTY_HASH_TEXT = bytesToText(EMPTY_CODE_HASH)
