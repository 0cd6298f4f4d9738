import type { StateHistory } from './stateHistory.ts'
import type { AccountRecord, AddressKey, SlotKey, StateReader, Version } from './types.ts'
import type { VersionedStore } from './versionedStore.ts'

/**
 * One version of the store. Its answers never change while it is retained; without that it may be used until the next
 * change of the store that abandons or forgets versions.
 */
export class StateView implements StateReader {
  readonly version: Version
  readonly #store: VersionedStore
  readonly #history: StateHistory

  constructor(store: VersionedStore, history: StateHistory, version: Version) {
    this.version = version
    this.#store = store
    this.#history = history
  }

  account(key: AddressKey): AccountRecord | null {
    return this.#history.account(key, this.version)
  }

  slot(key: AddressKey, slot: SlotKey): Uint8Array {
    return this.#history.slot(key, slot, this.version)
  }

  hasStorage(key: AddressKey): boolean {
    return this.slots(key).next().done !== true
  }

  slots(key: AddressKey): Generator<readonly [SlotKey, Uint8Array]> {
    return this.#history.slots(key, this.version)
  }

  code(codeHash: Uint8Array): Uint8Array {
    return this.#store.codes.get(codeHash)
  }

  /** Keeps the version readable until as many calls of {@link release}. */
  retain(): this {
    this.#store.retain(this.version)
    return this
  }

  /** @throws {StateUsageError} when called more often than {@link retain} */
  release(): void {
    this.#store.release(this.version)
  }
}
