import type { AccountFields, Common, StateManagerInterface } from '@ethereumjs/common'
import { Account, type Address, KECCAK256_NULL, KECCAK256_RLP } from '@ethereumjs/util'
import { EMPTY_BYTES, ZERO_HASH } from '../../primitives/bytes.ts'
import { StateUsageError } from '../../primitives/errors.ts'
import { EMPTY_ACCOUNT } from '../accounts.ts'
import { type Codes, EMPTY_CODE_HASH } from '../codes.ts'
import { addressKey, slotKey } from '../keys.ts'
import type { AccountRecord, AddressKey, SlotKey, StateDiff, StateReader } from '../types.ts'
import { ScratchState } from './scratchState.ts'

const KEY = Symbol('key of the address')

/** A library address that caches its key: the library passes the same objects many times. */
type KeyedAddress = Address & { [KEY]?: AddressKey }

function keyOf(address: KeyedAddress): AddressKey {
  address[KEY] ??= addressKey(address.bytes)
  return address[KEY]
}

/**
 * Scratch changes as the library's state manager. The methods return promises because the interface
 * requires it; all work is done synchronously. State roots are not supported.
 */
export class Overlay extends ScratchState implements StateManagerInterface {
  /** Mutable, because the library replaces it in copies. */
  common: Common
  readonly #codes: Codes
  /** Values at the start of the transaction, of the slots that it read. */
  readonly #original = new Map<AddressKey, Map<SlotKey, Uint8Array>>()
  #presentedAsEoa: AddressKey | undefined

  constructor(base: StateReader, codes: Codes, common: Common) {
    super(base, codes)
    this.common = common
    this.#codes = codes
  }

  /**
   * EIP-2200's original values. The library reads a slot before it writes to it, so the first value
   * is that at the start of the transaction; `runTx` clears them at the end.
   */
  readonly originalStorageCache = {
    get: async (address: Address, key: Uint8Array): Promise<Uint8Array> => {
      return this.originalSlot(keyOf(address), slotKey(key))
    },
    clear: (): void => {
      if (this.#original.size > 0) this.#original.clear()
    },
  }

  /** The value of a slot at the start of the transaction; see {@link originalStorageCache}. */
  originalSlot(account: AddressKey, slot: SlotKey): Uint8Array {
    let slots = this.#original.get(account)
    if (slots === undefined) {
      slots = new Map()
      this.#original.set(account, slots)
    }
    let value = slots.get(slot)
    if (value === undefined) {
      value = this.slot(account, slot)
      slots.set(slot, value)
    }
    return value
  }

  /** The key of an address, cached on the object. */
  keyOf(address: Address): AddressKey {
    return keyOf(address)
  }

  /**
   * Makes the next `getAccount` of this account report no code, unless {@link reset} comes first:
   * `runTx` refuses a sender with code (EIP-3607), which calls and simulations must allow.
   */
  presentAsEoaOnce(key: AddressKey): void {
    this.#presentedAsEoa = key
  }

  override reset(base: StateReader): void {
    super.reset(base)
    this.originalStorageCache.clear()
    this.#presentedAsEoa = undefined
  }

  override takeDiff(): StateDiff {
    const diff = super.takeDiff()
    this.originalStorageCache.clear()
    return diff
  }

  /** A new object each time: the library changes it before its checks. */
  async getAccount(address: Address): Promise<Account | undefined> {
    const key = keyOf(address)
    const record = this.account(key)
    if (record === null) return undefined
    let { codeHash } = record
    if (this.#presentedAsEoa === key) {
      this.#presentedAsEoa = undefined
      codeHash = EMPTY_CODE_HASH
    }
    return new OverlayAccount(record, codeHash, key, this)
  }

  /** Does not change the code of an existing account: only {@link putCode} does. */
  async putAccount(address: Address, account?: Account): Promise<void> {
    const key = keyOf(address)
    if (account === undefined) return this.removeAccount(key)
    const codeHash = this.account(key)?.codeHash ?? this.#hashOf(account.codeHash)
    this.writeAccount(key, account.nonce, account.balance, codeHash)
  }

  async deleteAccount(address: Address): Promise<void> {
    this.removeAccount(keyOf(address))
  }

  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const key = keyOf(address)
    const record = this.account(key) ?? EMPTY_ACCOUNT
    const { nonce = record.nonce, balance = record.balance, codeHash = record.codeHash } = fields
    this.writeAccount(key, nonce, balance, this.#hashOf(codeHash))
  }

  async putCode(address: Address, code: Uint8Array): Promise<void> {
    this.setCode(keyOf(address), code)
  }

  async getCode(address: Address): Promise<Uint8Array> {
    const record = this.account(keyOf(address))
    return record === null ? EMPTY_BYTES : this.code(record.codeHash)
  }

  async getCodeSize(address: Address): Promise<number> {
    const record = this.account(keyOf(address))
    return record === null ? 0 : this.code(record.codeHash).length
  }

  async getStorage(address: Address, key: Uint8Array): Promise<Uint8Array> {
    return this.slot(keyOf(address), slotKey(key))
  }

  async putStorage(address: Address, key: Uint8Array, value: Uint8Array): Promise<void> {
    this.setSlot(keyOf(address), slotKey(key), value)
  }

  async clearStorage(address: Address): Promise<void> {
    this.clearSlots(keyOf(address))
  }

  async checkpoint(): Promise<void> {
    this.openCheckpoint()
  }

  async commit(): Promise<void> {
    this.keepCheckpoint()
  }

  async revert(): Promise<void> {
    this.revertCheckpoint()
  }

  /** Zeros before Byzantium, for a receipt of `runTx` that is not used. */
  async getStateRoot(): Promise<Uint8Array> {
    if (!this.common.gteHardfork('byzantium')) return ZERO_HASH
    throw new StateUsageError('an overlay has no state root: apply its diff to a StateTrie')
  }

  async setStateRoot(): Promise<never> {
    throw new StateUsageError(
      'an overlay cannot be set to a state root: reset it to a view instead',
    )
  }

  /** Always `false`: see {@link getStateRoot}. */
  async hasStateRoot(): Promise<boolean> {
    return false
  }

  /** There are no caches. */
  clearCaches(): void {}

  /** A copy with the same changes over the same state, without checkpoints. */
  shallowCopy(): Overlay {
    const copy = new Overlay(this, this.#codes, this.common)
    copy.copyFrom(this)
    return copy
  }

  #hashOf(codeHash: Uint8Array): Uint8Array {
    return codeHash === KECCAK256_NULL ? EMPTY_CODE_HASH : this.canonicalHash(codeHash)
  }
}

/**
 * The library's account over a record. The library only compares `storageRoot` with the empty root
 * (EIP-7610), so it is computed lazily, and is a placeholder if there is storage.
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
    return this._storageRoot ?? (this.#state.hasStorage(this.#key) ? SOME_ROOT : KECCAK256_RLP)
  }

  override set storageRoot(root: Uint8Array) {
    this._storageRoot = root
  }
}

const SOME_ROOT = new Uint8Array(32).fill(0xff)
