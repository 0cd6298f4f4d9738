import { Account, KECCAK256_RLP } from '@ethereumjs/util'
import type { AccountRecord, AddressKey, StateReader } from './types.ts'

/**
 * The library's account object over a record. The library compares `storageRoot` with that of the empty trie and does
 * nothing else with it (EIP-7610), so it is found out only then, and is no real root where there is storage.
 */
export class OverlayAccount extends Account {
  readonly #key: AddressKey
  readonly #state: StateReader

  constructor(record: AccountRecord, codeHash: Uint8Array, key: AddressKey, state: StateReader) {
    super(record.nonce, record.balance, null, codeHash)
    this.#key = key
    this.#state = state
  }

  override get storageRoot(): Uint8Array {
    return this._storageRoot ?? (this.#state.hasStorage(this.#key) ? SOME_ROOT : KECCAK256_RLP)
  }

  override set storageRoot(root: Uint8Array) {
    this._storageRoot = root
  }
}

const SOME_ROOT = new Uint8Array(32).fill(0xff)
