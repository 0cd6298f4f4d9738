import { EMPTY_BYTES, sameBytes, textToBytes } from '../../primitives/bytes.ts'
import type { ForkRules } from '../../protocol/forks.ts'
import type { AccountAccesses, StepAccesses } from '../../protocol/stepAccesses.ts'
import { EMPTY_CODE_HASH } from '../../state/codes.ts'
import { addressKey, addressKeyFromHex } from '../../state/keys.ts'
import type { Overlay } from '../../state/overlay/overlay.ts'
import type { PrefetchedCall, RemoteKeys } from '../../state/remote/remoteSource.ts'
import type { AccountRecord, AddressKey, LazyReads, SlotKey } from '../../state/types.ts'
import { CONSOLE } from '../consoleCalls.ts'
import { keyLimbs } from '../core/coreMemory.ts'

/** Stays touched even if a call to it fails, as on mainnet (EIP-161, block 2,675,119). */
const RIPEMD160 = addressKeyFromHex('0x0000000000000000000000000000000000000003')

const CONSOLE_KEY = addressKey(CONSOLE)

/**
 * Reads and changes of one transaction. The overlay hears of it only at the end, by {@link
 * handOver}, so a transaction that is dropped leaves nothing.
 */
export class Journal {
  readonly #overlay: Overlay
  #accounts = new Map<AddressKey, AccountEntry>()
  readonly #undo: UndoStep[] = []
  readonly #written: [AccountEntry, SlotKey, SlotEntry][] = []
  #lazy: LazyReads | undefined
  /** Precompiles that are called, and those that are warm from the start (EIP-2929). */
  #precompiles: ReadonlyMap<AddressKey, number> = new Map()
  #warm: ReadonlyMap<AddressKey, number> = new Map()

  constructor(overlay: Overlay) {
    this.#overlay = overlay
  }

  /** The call that runs, if its reads are to be told once it misses one. */
  prefetched: PrefetchedCall | undefined

  /**
   * Forgets the last transaction and begins another.
   *
   * @param precompiles - numbers by address
   * @param warm - addresses that are warm from the start
   */
  begin(precompiles: ReadonlyMap<AddressKey, number>, warm: ReadonlyMap<AddressKey, number>): void {
    // Not cleared: V8 makes a cleared Map refer to its next table. Once an old table has outlived
    // two collections of young objects, those keep whatever was read by all that ran after it.
    if (this.#accounts.size > 0) this.#accounts = new Map()
    this.#undo.length = 0
    this.#written.length = 0
    this.#lazy = this.#overlay.lazyReads
    this.#precompiles = precompiles
    this.#warm = warm
  }

  /** @throws {Suspension} if the account has to be fetched first */
  account(key: AddressKey): AccountEntry {
    let entry = this.#accounts.get(key)
    if (entry === undefined) {
      if (this.#lazy !== undefined) this.#suspendFor(this.#lazy.account(key))
      const record = this.#overlay.account(key)
      entry = new AccountEntry(key, record, this.#precompiles.get(key) ?? 0, this.#warm.has(key))
      this.#accounts.set(key, entry)
    }
    return entry
  }

  /** The account, if the transaction has read it. */
  known(key: AddressKey): AccountEntry | undefined {
    return this.#accounts.get(key)
  }

  /** @throws {Suspension} if the code has to be fetched first */
  code(entry: AccountEntry): Uint8Array {
    if (entry.code === undefined) {
      const { codeHash } = entry
      if (codeHash === EMPTY_CODE_HASH) entry.code = EMPTY_BYTES
      else {
        if (this.#lazy !== undefined) this.#suspendFor(this.#lazy.code(codeHash))
        entry.code = this.#overlay.code(codeHash)
      }
    }
    return entry.code
  }

  /** @throws {Suspension} if the value has to be fetched first */
  slot(entry: AccountEntry, key: SlotKey): SlotEntry {
    entry.slots ??= new Map()
    let slot = entry.slots.get(key)
    if (slot === undefined) {
      slot = new SlotEntry(this.#originalSlot(entry, key))
      entry.slots.set(key, slot)
    }
    return slot
  }

  #originalSlot(entry: AccountEntry, key: SlotKey): Uint8Array {
    // A new contract has only the storage of overrides, so nothing is fetched from the upstream.
    if (entry.created) return this.#overlay.ownSlot(entry.key, key)
    if (this.#lazy !== undefined) this.#suspendFor(this.#lazy.slot(entry.key, key))
    return this.#overlay.slot(entry.key, key)
  }

  /**
   * Fetches values that are going to be read, all together.
   *
   * @throws {Suspension} if one of them has to be fetched first
   */
  prepare(keys: () => RemoteKeys): void {
    if (this.#lazy !== undefined) this.#suspendFor(this.#lazy.all(keys()))
  }

  #suspendFor(ready: Promise<void> | undefined): void {
    if (ready === undefined) return
    if (this.prefetched !== undefined) this.#lazy?.prefetch?.(this.prefetched)
    throw new Suspension(ready)
  }

  /** Makes a contract; `false` if that must not be at an address with old storage (EIP-7610). */
  create(entry: AccountEntry): boolean {
    if (this.#overlay.hasOldStorage(entry.key)) return false
    this.change(entry)
    entry.created = true
    entry.nonce = 1n
    // Those of the access list were read before.
    for (const [key, slot] of entry.slots ?? []) {
      this.setSlot(entry, key, slot, this.#overlay.ownSlot(entry.key, key))
    }
    return true
  }

  /** Warms an account; returns whether it was cold. */
  warmAccount(entry: AccountEntry): boolean {
    if (entry.warm) return false
    entry.warm = true
    this.#undo.push(new WarmUndo(entry))
    return true
  }

  /** Warms a slot; returns whether it was cold. */
  warmSlot(slot: SlotEntry): boolean {
    if (slot.warm) return false
    slot.warm = true
    this.#undo.push(new WarmUndo(slot))
    return true
  }

  /** Warms a slot of the transaction's access list, for good. */
  listSlot(entry: AccountEntry, key: SlotKey): void {
    this.slot(entry, key).warm = true
  }

  /** Warms an account for good that the transaction lists or creates. */
  listAccount(entry: AccountEntry): void {
    entry.warm = true
  }

  /** To be called before the first of several changes of an account. */
  change(entry: AccountEntry): void {
    this.#undo.push(new AccountUndo(entry))
    entry.touched = true
  }

  touch(entry: AccountEntry): void {
    if (!entry.touched) this.change(entry)
  }

  setBalance(entry: AccountEntry, balance: bigint): void {
    this.change(entry)
    entry.balance = balance
  }

  setCode(entry: AccountEntry, code: Uint8Array): void {
    this.change(entry)
    entry.codeHash = this.#overlay.addCode(code)
    entry.code = undefined
  }

  setSlot(entry: AccountEntry, key: SlotKey, slot: SlotEntry, value: Uint8Array): void {
    this.#undo.push(new SlotUndo(slot))
    slot.value = value
    this.#written.push([entry, key, slot])
  }

  setTransient(entry: AccountEntry, key: SlotKey, value: Uint8Array): void {
    entry.transient ??= new Map()
    this.#undo.push(new TransientUndo(entry.transient, key))
    entry.transient.set(key, value)
  }

  /** The present number of undo steps, for {@link revert}. */
  get mark(): number {
    return this.#undo.length
  }

  /** Takes back all changes since `mark`. */
  revert(mark: number): void {
    while (this.#undo.length > mark) this.#undo.pop()?.undo()
  }

  /**
   * Writes the changes to the overlay: to be called once, at the end.
   *
   * @returns the accesses for the block's list; `undefined` before Amsterdam
   */
  handOver({
    blobs: onlyCreated,
    transferLogs,
    blockAccessLists,
  }: ForkRules): StepAccesses | undefined {
    const overlay = this.#overlay
    const accesses: AccountAccesses[] | undefined = blockAccessLists ? [] : undefined
    for (const entry of this.#accounts.values()) {
      // A contract of this transaction keeps its ether (EIP-8246).
      const isEmptied = transferLogs && entry.destroyed && entry.created
      if (isEmptied) entry.becomeEmpty()
      if (accesses !== undefined && entry.accessed) accesses.push(this.#accessesOf(entry))
      const { key, record, nonce, balance, codeHash } = entry
      if (!isEmptied && entry.destroyed && (!onlyCreated || entry.created)) {
        if (record !== null) overlay.removeAccount(key)
      } else if (entry.touched && entry.isEmpty) {
        if (record !== null) overlay.removeAccount(key)
      } else if (
        record === null
          ? !entry.isEmpty
          : nonce !== record.nonce || balance !== record.balance || codeHash !== record.codeHash
      ) {
        overlay.writeAccount(key, nonce, balance, codeHash)
        // Hides slots that a command has set, or that the upstream has, at the same address.
        if (entry.created) overlay.clearSlotsBelow(key)
      }
    }
    for (const [entry, key, slot] of this.#written) {
      if (entry.destroyed && (!onlyCreated || entry.created)) continue
      if (!sameBytes(slot.value, slot.original)) overlay.setSlot(entry.key, key, slot.value)
    }
    return accesses
  }

  #accessesOf(entry: AccountEntry): AccountAccesses {
    const { key, record, nonce, balance, codeHash } = entry
    const writes: [SlotKey, Uint8Array][] = []
    const reads: SlotKey[] = []
    // The slots of a contract that is gone were only read.
    const isGone = entry.destroyed && entry.created
    if (entry.slots !== undefined) {
      for (const [slotKey, { accessed, value, original }] of entry.slots) {
        if (!accessed) continue
        if (isGone || sameBytes(value, original)) reads.push(slotKey)
        else writes.push([slotKey, value])
      }
    }
    const isSameCode = codeHash === (record === null ? EMPTY_CODE_HASH : record.codeHash)
    return {
      key,
      balance: balance === (record === null ? 0n : record.balance) ? undefined : balance,
      nonce: nonce === (record === null ? 0n : record.nonce) ? undefined : nonce,
      code: isSameCode ? undefined : this.#overlay.code(codeHash),
      writes,
      reads,
    }
  }
}

/** A slot as the transaction sees it. Values have no leading zeros. */
export class SlotEntry {
  /** The value at the start of the transaction (EIP-2200). */
  readonly original: Uint8Array
  value: Uint8Array
  warm = false
  /** True if it belongs into the block's access list (EIP-7928). */
  accessed = false

  constructor(value: Uint8Array) {
    this.original = value
    this.value = value
  }
}

/** An account as the transaction sees it. */
export class AccountEntry {
  readonly key: AddressKey
  /** The account before the transaction. */
  readonly record: AccountRecord | null
  nonce: bigint
  /** wei. */
  balance: bigint
  codeHash: Uint8Array
  /** The code, once it has been read. */
  code: Uint8Array | undefined = undefined
  /** Number of the precompile at this address; 0 if there is none. */
  readonly precompile: number
  readonly isConsole: boolean
  warm: boolean
  /** True if it belongs into the block's access list (EIP-7928). */
  accessed = false
  /** True if the account was written to, and so is removed if it is empty (EIP-161). */
  touched = false
  /** True if it was created in this transaction (EIP-6780). */
  created = false
  /** True if it executed SELFDESTRUCT. */
  destroyed = false
  slots: Map<SlotKey, SlotEntry> | undefined = undefined
  /** Transient storage (EIP-1153). */
  transient: Map<SlotKey, Uint8Array> | undefined = undefined
  #bytes: Uint8Array | undefined = undefined
  #limbs: Uint32Array | undefined = undefined

  constructor(key: AddressKey, record: AccountRecord | null, precompile: number, warm: boolean) {
    this.key = key
    this.record = record
    this.nonce = record === null ? 0n : record.nonce
    this.balance = record === null ? 0n : record.balance
    this.codeHash = record === null ? EMPTY_CODE_HASH : record.codeHash
    this.precompile = precompile
    this.isConsole = key === CONSOLE_KEY
    this.warm = warm
  }

  /** True if it is empty as EIP-161 defines it, or does not exist. */
  get isEmpty(): boolean {
    return this.nonce === 0n && this.balance === 0n && this.codeHash === EMPTY_CODE_HASH
  }

  /** True if the account was in the state, or was written to. */
  get exists(): boolean {
    return this.record !== null || this.touched
  }

  /** Leaves nothing of it but its balance. */
  becomeEmpty(): void {
    this.nonce = 0n
    this.codeHash = EMPTY_CODE_HASH
    this.touched = true
  }

  /** The 20 bytes of the address. */
  get bytes(): Uint8Array {
    this.#bytes ??= textToBytes(this.key)
    return this.#bytes
  }

  /** The address as a word of the core. */
  get limbs(): Uint32Array {
    this.#limbs ??= keyLimbs(this.key)
    return this.#limbs
  }
}

/** Thrown by a read of a value that has to be fetched first. What read it is to be run again. */
export class Suspension extends Error {
  override name = 'Suspension'
  readonly ready: Promise<void>

  constructor(ready: Promise<void>) {
    super('A value of the state is not known yet')
    this.ready = ready
  }
}

/** Restores one thing if its frame fails. */
interface UndoStep {
  undo(): void
}

class WarmUndo implements UndoStep {
  readonly #entry: { warm: boolean }
  constructor(entry: { warm: boolean }) {
    this.#entry = entry
  }
  undo(): void {
    this.#entry.warm = false
  }
}

class SlotUndo implements UndoStep {
  readonly #slot: SlotEntry
  readonly #before: Uint8Array
  constructor(slot: SlotEntry) {
    this.#slot = slot
    this.#before = slot.value
  }
  undo(): void {
    this.#slot.value = this.#before
  }
}

class TransientUndo implements UndoStep {
  readonly #slots: Map<SlotKey, Uint8Array>
  readonly #slot: SlotKey
  readonly #before: Uint8Array
  constructor(slots: Map<SlotKey, Uint8Array>, slot: SlotKey) {
    this.#slots = slots
    this.#slot = slot
    this.#before = slots.get(slot) ?? EMPTY_BYTES
  }
  undo(): void {
    this.#slots.set(this.#slot, this.#before)
  }
}

class AccountUndo implements UndoStep {
  readonly #entry: AccountEntry
  readonly #nonce: bigint
  readonly #balance: bigint
  readonly #codeHash: Uint8Array
  readonly #code: Uint8Array | undefined
  readonly #touched: boolean
  readonly #created: boolean
  readonly #destroyed: boolean
  constructor(entry: AccountEntry) {
    this.#entry = entry
    this.#nonce = entry.nonce
    this.#balance = entry.balance
    this.#codeHash = entry.codeHash
    this.#code = entry.code
    this.#touched = entry.touched
    this.#created = entry.created
    this.#destroyed = entry.destroyed
  }
  undo(): void {
    const entry = this.#entry
    entry.nonce = this.#nonce
    entry.balance = this.#balance
    entry.codeHash = this.#codeHash
    entry.code = this.#code
    entry.touched = this.#touched || entry.key === RIPEMD160
    entry.created = this.#created
    entry.destroyed = this.#destroyed
  }
}
