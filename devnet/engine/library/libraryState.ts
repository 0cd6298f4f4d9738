import type { AccountFields, Common, StateManagerInterface } from '@ethereumjs/common'
import { Account, type Address, KECCAK256_NULL, KECCAK256_RLP } from '@ethereumjs/util'
import { EMPTY_BYTES, ZERO_HASH } from '../../primitives/bytes.ts'
import { StateUsageError } from '../../primitives/errors.ts'
import { getOrCreate } from '../../primitives/memo.ts'
import { EMPTY_ACCOUNT, MAX_BALANCE } from '../../state/accounts.ts'
import { EMPTY_CODE_HASH } from '../../state/codes.ts'
import { addressKey, slotKey } from '../../state/keys.ts'
import type { Overlay } from '../../state/overlay/overlay.ts'
import type { AccountRecord, AddressKey, SlotKey, StateReader } from '../../state/types.ts'

const KEY = Symbol('key of the address')

/** A library address that caches its key, because the library passes the same object often. */
type KeyedAddress = Address & { [KEY]?: AddressKey }

/**
 * An overlay as a state manager of @ethereumjs/vm, called the library in these comments. The
 * methods return promises because the interface requires it, and await what has to be fetched.
 * State roots are not supported.
 */
export class LibraryState implements StateManagerInterface {
  readonly #overlay: Overlay
  readonly #common: Common
  /** Values of slots at the start of the transaction; only of slots that it has read. */
  readonly #original = new Map<AddressKey, Map<SlotKey, Uint8Array>>()

  constructor(overlay: Overlay, common: Common) {
    this.#overlay = overlay
    this.#common = common
  }

  /**
   * The original values of EIP-2200. The library reads a slot before it writes to it, so the first
   * value read is the one at the start of the transaction. `runTx` clears the values at the end.
   */
  readonly originalStorageCache = {
    get: (address: Address, key: Uint8Array): Promise<Uint8Array> => {
      const slot = slotKey(key)
      const read = (account: AddressKey) => {
        const slots = getOrCreate(this.#original, account, () => new Map<SlotKey, Uint8Array>())
        return getOrCreate(slots, slot, () => this.#overlay.slot(account, slot))
      }
      return this.#once(address, read, slot)
    },
    clear: (): void => {
      if (this.#original.size > 0) this.#original.clear()
    },
  }

  /** A promise of when the account, or its slot, can be read; `undefined`: now. */
  #fetched(key: AddressKey, slot?: SlotKey): Promise<void> | undefined {
    const { lazyReads } = this.#overlay
    if (lazyReads === undefined) return undefined
    return slot === undefined ? lazyReads.account(key) : lazyReads.slot(key, slot)
  }

  /** Does `work` once the account, or its slot, can be read. */
  async #once<Result>(
    address: Address,
    work: (key: AddressKey) => Result,
    slot?: SlotKey,
  ): Promise<Result> {
    const key = cachedKey(address)
    const ready = this.#fetched(key, slot)
    if (ready !== undefined) await ready
    return work(key)
  }

  /** Returns a new object each time, because the library modifies it before its checks are done. */
  getAccount(address: Address): Promise<Account | undefined> {
    return this.#once(address, (key) => {
      const record = this.#overlay.account(key)
      if (record === null) return undefined
      let { codeHash } = record
      if (this.#overlay.presentedAsEoa === key) {
        this.#overlay.takePresentedAsEoa(key)
        codeHash = EMPTY_CODE_HASH
      }
      return new OverlayAccount(record, codeHash, key, this.#overlay)
    })
  }

  /** Ignores the code hash if the account exists: {@link putCode} sets the code. */
  putAccount(address: Address, account?: Account): Promise<void> {
    return this.#once(address, (key) => {
      if (account === undefined) return this.#overlay.removeAccount(key)
      const codeHash = this.#overlay.account(key)?.codeHash ?? this.#hashOf(account.codeHash)
      // The library adds without a bound.
      const balance = account.balance > MAX_BALANCE ? MAX_BALANCE : account.balance
      this.#overlay.writeAccount(key, account.nonce, balance, codeHash)
    })
  }

  async deleteAccount(address: Address): Promise<void> {
    this.#overlay.removeAccount(cachedKey(address))
  }

  modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    return this.#once(address, (key) => {
      const record = this.#overlay.account(key) ?? EMPTY_ACCOUNT
      const { nonce = record.nonce, balance = record.balance, codeHash = record.codeHash } = fields
      this.#overlay.writeAccount(key, nonce, balance, this.#hashOf(codeHash))
    })
  }

  putCode(address: Address, code: Uint8Array): Promise<void> {
    return this.#once(address, (key) => this.#overlay.setCode(key, code))
  }

  getCode(address: Address): Promise<Uint8Array> {
    return this.#once(address, (key) => {
      const record = this.#overlay.account(key)
      return record === null ? EMPTY_BYTES : this.#overlay.code(record.codeHash)
    })
  }

  async getCodeSize(address: Address): Promise<number> {
    return (await this.getCode(address)).length
  }

  getStorage(address: Address, key: Uint8Array): Promise<Uint8Array> {
    const slot = slotKey(key)
    return this.#once(address, (account) => this.#overlay.slot(account, slot), slot)
  }

  putStorage(address: Address, key: Uint8Array, value: Uint8Array): Promise<void> {
    return this.#once(address, (account) => this.#overlay.setSlot(account, slotKey(key), value))
  }

  /** The library calls this for accounts that it creates, which have no nonce yet, and others. */
  async clearStorage(address: Address): Promise<void> {
    const key = cachedKey(address)
    if (this.#overlay.account(key)?.nonce === 0n) this.#overlay.clearSlotsBelow(key)
    else this.#overlay.clearSlots(key)
  }

  async checkpoint(): Promise<void> {
    this.#overlay.openCheckpoint()
  }

  async commit(): Promise<void> {
    this.#overlay.keepCheckpoint()
  }

  async revert(): Promise<void> {
    this.#overlay.revertCheckpoint()
  }

  /** Throws since Byzantium. Before, returns zeros, for a receipt of `runTx` that is not used. */
  async getStateRoot(): Promise<Uint8Array> {
    if (!this.#common.gteHardfork('byzantium')) return ZERO_HASH
    throw new StateUsageError('an overlay has no state root: apply its diff to a StateTrie')
  }

  async setStateRoot(): Promise<never> {
    throw new StateUsageError(
      'an overlay cannot be set to a state root: reset it to a view instead',
    )
  }

  /** Always `false`, because an overlay has no state roots. */
  async hasStateRoot(): Promise<boolean> {
    return false
  }

  /** There are no caches. */
  clearCaches(): void {}

  /** A state manager over a copy of the overlay. */
  shallowCopy(): LibraryState {
    return new LibraryState(this.#overlay.shallowCopy(), this.#common)
  }

  #hashOf(codeHash: Uint8Array): Uint8Array {
    return codeHash === KECCAK256_NULL ? EMPTY_CODE_HASH : this.#overlay.canonicalHash(codeHash)
  }
}

function cachedKey(address: KeyedAddress): AddressKey {
  address[KEY] ??= addressKey(address.bytes)
  return address[KEY]
}

/**
 * A library account made from a record. The library only compares `storageRoot` with the empty root
 * (EIP-7610), so the root is determined lazily, and is a placeholder if there is such storage.
 */
class OverlayAccount extends Account {
  readonly #key: AddressKey
  readonly #state: StateReader

  constructor(record: AccountRecord, codeHash: Uint8Array, key: AddressKey, state: StateReader) {
    super(record.nonce, record.balance, null, codeHash)
    this.#key = key
    this.#state = state
  }

  override get storageRoot(): Uint8Array {
    return this._storageRoot ?? (this.#state.hasOldStorage(this.#key) ? SOME_ROOT : KECCAK256_RLP)
  }

  override set storageRoot(root: Uint8Array) {
    this._storageRoot = root
  }
}

const SOME_ROOT = new Uint8Array(32).fill(0xff)
