import { EMPTY_BYTES, withoutLeadingZeros } from '../../primitives/bytes.ts'
import { StateUsageError } from '../../primitives/errors.ts'
import { EMPTY_ACCOUNT } from '../accounts.ts'
import { type Codes, EMPTY_CODE_HASH, ScratchCodes } from '../codes.ts'
import { PrefetchChanges } from '../remote/prefetchChanges.ts'
import type {
  AccountRecord,
  AddressKey,
  LazyReads,
  SlotKey,
  StateDiff,
  StateReader,
  StorageDiff,
} from '../types.ts'

/** Waits for a value of the state within the limits of an execution. */
export type Wait = (ready: Promise<void>) => Promise<void>

/** Scratch changes of an execution on top of another state, with nested checkpoints. */
export class Overlay implements StateReader {
  #base: StateReader
  #codes: ScratchCodes
  #accounts = new Map<AddressKey, AccountRecord | null>()
  #storage = new Map<AddressKey, StorageDiff>()
  readonly #undo = new UndoLog()
  readonly #wait: Wait
  #lazyReads: LazyReads | undefined
  #presentedAsEoa: AddressKey | undefined

  /** @param wait - waits for a value of the base. Default: without limits */
  constructor(base: StateReader, codes: Codes, wait: Wait = (ready) => ready) {
    this.#base = base
    this.#wait = wait
    this.#lazyReads = this.#lazyOver(base)
    this.#codes = new ScratchCodes(codes)
  }

  /** True if anything was written since the last {@link reset} or {@link takeDiff}. */
  get isDirty(): boolean {
    return this.#accounts.size > 0 || this.#storage.size > 0
  }

  get lazyReads(): LazyReads | undefined {
    return this.#lazyReads
  }

  account(key: AddressKey): AccountRecord | null {
    const record = this.#accounts.get(key)
    return record === undefined ? this.#base.account(key) : record
  }

  slot(key: AddressKey, slot: SlotKey): Uint8Array {
    const change = this.#storage.get(key)
    if (change !== undefined) {
      const value = change.slots.get(slot)
      if (value !== undefined) return value
      if (change.cleared) return EMPTY_BYTES
    }
    return this.#base.slot(key, slot)
  }

  hasOldStorage(key: AddressKey): boolean {
    return this.#storage.get(key)?.cleared !== true && this.#base.hasOldStorage(key)
  }

  /** The slot if it was written here, as by an override; else zero. */
  ownSlot(key: AddressKey, slot: SlotKey): Uint8Array {
    return this.#storage.get(key)?.slots.get(slot) ?? EMPTY_BYTES
  }

  *slots(key: AddressKey): Generator<readonly [SlotKey, Uint8Array]> {
    const change = this.#storage.get(key)
    if (change !== undefined) {
      for (const entry of change.slots) if (entry[1].length > 0) yield entry
      if (change.cleared) return
    }
    for (const entry of this.#base.slots(key)) {
      if (change === undefined || !change.slots.has(entry[0])) yield entry
    }
  }

  code(codeHash: Uint8Array): Uint8Array {
    const code = this.#codes.get(codeHash)
    return code.length > 0 ? code : this.#base.code(codeHash)
  }

  /** Sets the balance in wei; creates the account if necessary. */
  setBalance(key: AddressKey, balance: bigint): void {
    const { nonce, codeHash } = this.account(key) ?? EMPTY_ACCOUNT
    this.writeAccount(key, nonce, balance, codeHash)
  }

  /** Sets the nonce; creates the account if necessary. */
  setNonce(key: AddressKey, nonce: bigint): void {
    const { balance, codeHash } = this.account(key) ?? EMPTY_ACCOUNT
    this.writeAccount(key, nonce, balance, codeHash)
  }

  /** Sets the code; creates the account if necessary. */
  setCode(key: AddressKey, code: Uint8Array): void {
    const { nonce, balance } = this.account(key) ?? EMPTY_ACCOUNT
    this.writeAccount(key, nonce, balance, this.#codes.add(code))
  }

  /**
   * Sets a slot; creates the account if necessary, unless the value is zero.
   *
   * @param value - at most 32 bytes, leading zeros allowed; must not change afterwards
   */
  setSlot(key: AddressKey, slot: SlotKey, value: Uint8Array): void {
    const stripped = withoutLeadingZeros(value)
    if (this.account(key) === null) {
      if (stripped.length === 0) return
      this.writeAccount(key, 0n, 0n, EMPTY_CODE_HASH)
    }
    const { slots } = this.#storage.get(key) ?? this.#setStorage(key, false)
    if (this.#undo.isOpen) {
      this.#undo.add({ kind: 'slot', slots, slot, before: slots.get(slot) })
    }
    slots.set(slot, stripped)
  }

  /** Sets all slots of the account to zero. */
  clearSlots(key: AddressKey): void {
    this.#setStorage(key, true)
  }

  /** Sets the slots to zero that were not written here: a new contract keeps its overrides. */
  clearSlotsBelow(key: AddressKey): void {
    const own = this.#storage.get(key)?.slots ?? []
    const { slots } = this.#setStorage(key, true)
    for (const [slot, value] of own) slots.set(slot, value)
  }

  /** Makes the changes of `diff`. */
  apply({ accounts, storage }: StateDiff): void {
    for (const [key, record] of accounts) {
      if (record === null) this.removeAccount(key)
      else this.writeAccount(key, record.nonce, record.balance, record.codeHash)
    }
    for (const [key, { cleared, slots }] of storage) {
      if (cleared) this.clearSlots(key)
      for (const [slot, value] of slots) this.setSlot(key, slot, value)
    }
  }

  /** Removes the account with its code and storage. */
  removeAccount(key: AddressKey): void {
    this.#setAccount(key, null)
    this.#setStorage(key, true)
  }

  /** Makes a code known; returns its hash, always the same object. */
  addCode(code: Uint8Array): Uint8Array {
    return this.#codes.add(code)
  }

  /** @param codeHash - taken from a record, or returned by {@link addCode} */
  writeAccount(key: AddressKey, nonce: bigint, balance: bigint, codeHash: Uint8Array): void {
    this.#setAccount(key, new ScratchRecord(nonce, balance, codeHash))
  }

  /** Returns the one object that all records use for this code hash. */
  canonicalHash(codeHash: Uint8Array): Uint8Array {
    return this.#codes.canonical(codeHash)
  }

  /**
   * Lets this account send one transaction although it has code; {@link reset} cancels this.
   * Transactions of such a sender are refused (EIP-3607), but calls and simulations must allow it.
   */
  presentAsEoaOnce(key: AddressKey): void {
    this.#presentedAsEoa = key
  }

  /** True once for the account given to {@link presentAsEoaOnce}. */
  takePresentedAsEoa(key: AddressKey): boolean {
    const isPresented = this.#presentedAsEoa === key
    this.#presentedAsEoa = undefined
    return isPresented
  }

  /** The account of {@link presentAsEoaOnce}, until its transaction begins. */
  get presentedAsEoa(): AddressKey | undefined {
    return this.#presentedAsEoa
  }

  openCheckpoint(): void {
    this.#undo.open()
  }

  /** Closes the newest checkpoint, keeps its writes. @throws {StateUsageError} if none is open */
  keepCheckpoint(): void {
    this.#undo.keep()
  }

  /** Closes the newest checkpoint, undoes its writes. @throws {StateUsageError} if none is open */
  revertCheckpoint(): void {
    this.#undo.revert(this.#undoStep)
  }

  /**
   * Drops all changes and checkpoints, and continues on top of `base`.
   *
   * @param codes - Default: the ones before
   */
  reset(base: StateReader, codes?: Codes): void {
    this.#base = base
    this.#lazyReads = this.#lazyOver(base)
    this.#undo.clear()
    this.#codes.clear(codes)
    this.#presentedAsEoa = undefined
    if (this.#accounts.size > 0) this.#accounts = new Map()
    if (this.#storage.size > 0) this.#storage = new Map()
  }

  /**
   * Returns all changes, and continues without them on top of the same state.
   *
   * @throws {StateUsageError} while a checkpoint is open
   */
  takeDiff(): StateDiff {
    if (this.#undo.isOpen) throw new StateUsageError('changes cannot be taken in a checkpoint')
    const diff = { accounts: this.#accounts, storage: this.#storage }
    this.#codes.publish()
    // Empty Maps are replaced too, because the caller keeps the old ones in its diff.
    this.#accounts = new Map()
    this.#storage = new Map()
    return diff
  }

  /** A copy with the same changes over the same state, without checkpoints. */
  shallowCopy(): Overlay {
    const copy = new Overlay(this.#base, this.#codes, this.#wait)
    copy.#codes = this.#codes.copy()
    copy.#accounts = new Map(this.#accounts)
    for (const [key, { cleared, slots }] of this.#storage) {
      copy.#storage.set(key, { cleared, slots: new Map(slots) })
    }
    return copy
  }

  /** Reads of what was not changed here. */
  #lazyOver({ lazyReads: base }: StateReader): LazyReads | undefined {
    if (base === undefined) return undefined
    const readsSlot = (key: AddressKey, slot: SlotKey) => {
      const change = this.#storage.get(key)
      return change === undefined || (!change.cleared && !change.slots.has(slot))
    }
    const within = (ready: Promise<void> | undefined) => ready && this.#wait(ready)
    return {
      account: (key) => (this.#accounts.has(key) ? undefined : within(base.account(key))),
      slot: (key, slot) => (readsSlot(key, slot) ? within(base.slot(key, slot)) : undefined),
      code: (codeHash) =>
        this.#codes.get(codeHash).length > 0 ? undefined : within(base.code(codeHash)),
      all: (keys) => {
        const accounts = keys.accounts.filter((key) => !this.#accounts.has(key))
        const slots = keys.slots.filter(([key, slot]) => readsSlot(key, slot))
        return within(base.all({ accounts, slots }))
      },
      prefetch: (call, above) => base.prefetch?.(call, () => this.#addChanges(above?.())),
    }
  }

  #addChanges(
    changes: PrefetchChanges = new PrefetchChanges((hash) => this.#codes.get(hash)),
  ): PrefetchChanges {
    for (const [key, record] of this.#accounts) changes.addAccount(key, record)
    for (const [key, { slots, cleared }] of this.#storage) changes.addSlots(key, slots, cleared)
    return changes
  }

  #setAccount(key: AddressKey, record: AccountRecord | null): void {
    if (this.#undo.isOpen) {
      this.#undo.add({ kind: 'account', key, before: this.#accounts.get(key) })
    }
    this.#accounts.set(key, record)
  }

  /** Always makes a new object, because undo steps refer to the slots of the old one. */
  #setStorage(key: AddressKey, cleared: boolean): StorageDiff {
    if (this.#undo.isOpen) {
      this.#undo.add({ kind: 'storage', key, before: this.#storage.get(key) })
    }
    const change = { cleared, slots: new Map<SlotKey, Uint8Array>() }
    this.#storage.set(key, change)
    return change
  }

  readonly #undoStep = (step: UndoStep): void => {
    if (step.kind === 'account') putBack(this.#accounts, step.key, step.before)
    else if (step.kind === 'storage') putBack(this.#storage, step.key, step.before)
    else putBack(step.slots, step.slot, step.before)
  }
}

/** A class, so that all records on the hot path have one shape. */
class ScratchRecord implements AccountRecord {
  readonly nonce: bigint
  readonly balance: bigint
  readonly codeHash: Uint8Array

  constructor(nonce: bigint, balance: bigint, codeHash: Uint8Array) {
    this.nonce = nonce
    this.balance = balance
    this.codeHash = codeHash
  }
}

function putBack<Key, Value>(map: Map<Key, Value>, key: Key, before: Value | undefined): void {
  if (before === undefined) map.delete(key)
  else map.set(key, before)
}

/** Undoes one write: `before` is the previous value, or `undefined` if there was none. */
type UndoStep =
  | {
      readonly kind: 'account'
      readonly key: AddressKey
      readonly before: AccountRecord | null | undefined
    }
  | { readonly kind: 'storage'; readonly key: AddressKey; readonly before: StorageDiff | undefined }
  | {
      readonly kind: 'slot'
      /** The Map that was written; a later step may have replaced it in the account. */
      readonly slots: Map<SlotKey, Uint8Array>
      readonly slot: SlotKey
      readonly before: Uint8Array | undefined
    }

/** Undo steps of the writes since the outermost open checkpoint. */
class UndoLog {
  readonly #steps: UndoStep[] = []
  /** Number of steps at each open checkpoint. */
  readonly #checkpoints: number[] = []

  /** True if a checkpoint is open. If not, writes need no undo steps. */
  get isOpen(): boolean {
    return this.#checkpoints.length > 0
  }

  add(step: UndoStep): void {
    this.#steps.push(step)
  }

  open(): void {
    this.#checkpoints.push(this.#steps.length)
  }

  /** Closes the newest checkpoint and keeps its writes. @throws {StateUsageError} */
  keep(): void {
    this.#close()
    if (this.#checkpoints.length === 0) this.#steps.length = 0
  }

  /** Closes the newest checkpoint and undoes its writes, newest first. @throws {StateUsageError} */
  revert(undo: (step: UndoStep) => void): void {
    const start = this.#close()
    for (let index = this.#steps.length - 1; index >= start; index--) {
      const step = this.#steps[index]
      if (step !== undefined) undo(step)
    }
    this.#steps.length = start
  }

  clear(): void {
    this.#steps.length = 0
    this.#checkpoints.length = 0
  }

  #close(): number {
    const start = this.#checkpoints.pop()
    if (start === undefined) throw new StateUsageError('no checkpoint is open')
    return start
  }
}
