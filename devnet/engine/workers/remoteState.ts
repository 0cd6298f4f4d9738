import { bytesToText, EMPTY_BYTES } from '../../primitives/bytes.ts'
import { StateUsageError } from '../../primitives/errors.ts'
import { getOrCreate, setNewest } from '../../primitives/memo.ts'
import { type Codes, EMPTY_CODE_HASH } from '../../state/codes.ts'
import type { AccountRecord, AddressKey, SlotKey, StateReader, Version } from '../../state/types.ts'
import type { Answers, Read } from './stateReads.ts'

/** Asks the main thread, and waits for the answer. */
export type Ask = <Kind extends Read['kind']>(
  read: Extract<Read, { readonly kind: Kind }>,
) => Answers[Kind]

/** Values of a state that are kept; a heavy call reads a few of them, but often. */
const MAX_KEPT = 100_000

/** A version of the node's state, on another thread: what it does not know yet, it asks for. */
export class RemoteState implements StateReader {
  readonly version: Version
  readonly store: number
  readonly #ask: Ask
  readonly #codes: Codes
  readonly #accounts = new Map<AddressKey, AccountRecord | null>()
  readonly #slots = new Map<AddressKey, Map<SlotKey, Uint8Array>>()
  readonly #withStorage = new Map<AddressKey, boolean>()
  #kept = 0

  /** @param codes - keeps the codes of all versions */
  constructor({ store, version }: Place, ask: Ask, codes: Codes) {
    this.version = version
    this.store = store
    this.#ask = ask
    this.#codes = codes
  }

  account(key: AddressKey): AccountRecord | null {
    return getOrCreate(this.#accounts, key, () => {
      this.#makeRoom()
      const answer = this.#ask<'account'>({ kind: 'account', account: key })
      return answer === null ? null : { ...answer, codeHash: this.#hash(answer.codeHash) }
    })
  }

  slot(key: AddressKey, slot: SlotKey): Uint8Array {
    const slots = getOrCreate(this.#slots, key, () => new Map<SlotKey, Uint8Array>())
    return getOrCreate(slots, slot, () => {
      this.#makeRoom()
      return this.#ask<'slot'>({ kind: 'slot', account: key, slot })
    })
  }

  hasOldStorage(key: AddressKey): boolean {
    return getOrCreate(this.#withStorage, key, () => {
      this.#makeRoom()
      return this.#ask<'hasOldStorage'>({ kind: 'hasOldStorage', account: key })
    })
  }

  slots(): never {
    throw new StateUsageError('an execution reads single slots: another thread lists none')
  }

  code(codeHash: Uint8Array): Uint8Array {
    if (codeHash === EMPTY_CODE_HASH) return EMPTY_BYTES
    const known = this.#codes.get(codeHash)
    if (known.length > 0) return known
    const code = this.#ask<'code'>({ kind: 'code', codeHash })
    this.#codes.adopt({ hash: codeHash, code })
    return this.#codes.get(codeHash)
  }

  /** The node keeps the version while a job reads it. */
  retain(): void {}
  release(): void {}

  /** Code hashes are compared by identity. */
  #hash(codeHash: Uint8Array | undefined): Uint8Array {
    if (codeHash === undefined) return EMPTY_CODE_HASH
    return this.#codes.find(bytesToText(codeHash))?.hash ?? codeHash
  }

  /** Forgets all values if they are too many with the one that is going to be kept. */
  #makeRoom(): void {
    if (this.#kept++ < MAX_KEPT) return
    this.#accounts.clear()
    this.#slots.clear()
    this.#withStorage.clear()
    this.#kept = 1
  }
}

/** Versions that are kept: reads are of the newest states, but for a few. */
const MAX_VERSIONS = 4

/** A version, and the number of its store. */
type Place = Pick<RemoteState, 'store' | 'version'>

/** The node's state by version; keeps the versions that were read last. */
export function remoteStates(ask: Ask, codes: Codes): (place: Place) => RemoteState {
  /** Least recently read first. */
  const states = new Map<string, RemoteState>()
  return (place) => {
    const key = `${place.store} ${place.version}`
    const state = states.get(key) ?? new RemoteState(place, ask, codes)
    setNewest(states, key, state, MAX_VERSIONS)
    return state
  }
}
