import type { AccountFields, Common, StateManagerInterface } from '@ethereumjs/common'
import { Account, type Address, KECCAK256_NULL, KECCAK256_RLP } from '@ethereumjs/util'
import { EMPTY_BYTES, ZERO_HASH } from '../../primitives/bytes.ts'
import { StateUsageError } from '../../primitives/errors.ts'
import { type Codes, EMPTY_CODE_HASH } from '../codes.ts'
import { addressKey, slotKey } from '../keys.ts'
import type { AccountRecord, AddressKey, SlotKey, StateDiff, StateReader } from '../types.ts'
import { ScratchState } from './scratchState.ts'

const KEY = Symbol('key of the address')

/** An address object of the library on which its key is remembered: the same objects come again and again. */
type KeyedAddress = Address & { [KEY]?: AddressKey }

function keyOf(address: KeyedAddress): AddressKey {
  address[KEY] ??= addressKey(address.bytes)
  return address[KEY]
}

/**
 * Scratch changes in the shape that the library executes on. Its methods are asynchronous because the interface is; each
 * does its work at once. Roots are no business of it: it has none to give and none to go to.
 */
export class Overlay extends ScratchState implements StateManagerInterface {
  /** The library replaces it in copies. */
  common: Common
  readonly #codes: Codes
  /** Values of slots at the start of the transaction, as far as it asked for them. */
  readonly #original = new Map<AddressKey, Map<SlotKey, Uint8Array>>()
  #presentedAsEoa: AddressKey | undefined

  constructor(base: StateReader, codes: Codes, common: Common) {
    super(base, codes)
    this.common = common
    this.#codes = codes
  }

  /**
   * EIP-2200's original values. The library asks for a slot before it writes to it, so the first answer is the value at
   * the start of the transaction; `runTx` clears them at the end of each.
   */
  readonly originalStorageCache = {
    get: async (address: Address, key: Uint8Array): Promise<Uint8Array> => {
      return this.originalSlot(keyOf(address), slotKey(key))
    },
    clear: (): void => {
      if (this.#original.size > 0) this.#original.clear()
    },
  }

  /** The value of a slot at the start of the transaction, see {@link originalStorageCache}. */
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

  /** The key of an address, remembered on the object. */
  keyOf(address: Address): AddressKey {
    return keyOf(address)
  }

  /**
   * Lets the next `getAccount` of this account report no code: `runTx` asks for the sender first, and refuses one that
   * has code (EIP-3607), which calls and simulations must not. {@link reset} ends it.
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

  /** A new object each time: the library changes it before it checks whether it may. */
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

  /** Keeps the code of an account that exists: only {@link putCode} changes it. */
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
    const record = this.account(key)
    const codeHash = fields.codeHash ?? record?.codeHash ?? EMPTY_CODE_HASH
    this.writeAccount(
      key,
      fields.nonce ?? record?.nonce ?? 0n,
      fields.balance ?? record?.balance ?? 0n,
      this.#hashOf(codeHash),
    )
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

  /** Before Byzantium `runTx` asks for it, to put it into a receipt that nobody reads: zeros will do. */
  async getStateRoot(): Promise<Uint8Array> {
    if (!this.common.gteHardfork('byzantium')) return ZERO_HASH
    throw new StateUsageError('an overlay has no state root: apply its diff to a StateTrie')
  }

  async setStateRoot(): Promise<never> {
    throw new StateUsageError('an overlay cannot go to a state root: reset it to a view instead')
  }

  /** Never: see {@link getStateRoot}. */
  async hasStateRoot(): Promise<boolean> {
    return false
  }

  /** There are none: every read goes to Maps. */
  clearCaches(): void {}

  /** An overlay with the same changes over the same state, without checkpoints. */
  shallowCopy(): Overlay {
    const copy = new Overlay(this, this.#codes, this.common)
    copy.copyFrom(this)
    return copy
  }

  /** The library's object for no code is the most frequent by far. */
  #hashOf(codeHash: Uint8Array): Uint8Array {
    return codeHash === KECCAK256_NULL ? EMPTY_CODE_HASH : this.canonicalHash(codeHash)
  }
}

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
