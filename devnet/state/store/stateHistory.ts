import { EMPTY_BYTES, sameBytes } from '../../primitives/bytes.ts'
import type { Paced } from '../../primitives/paced.ts'
import { PooledCopies, RecentItems } from '../../primitives/recentItems.ts'
import { sameRecord } from '../accounts.ts'
import type {
  AccountRecord,
  AddressKey,
  LazyReads,
  SlotKey,
  StateDiff,
  StorageDiff,
  Version,
} from '../types.ts'
import { AccountCell, SlotCell, SlotTable } from './versionedCell.ts'
import { type Changes, ChangesBuilder } from './versionLog.ts'
import { AbandonedRanges } from './versions.ts'

/** The values of all accounts and slots in all versions. */
export class StateHistory {
  readonly abandoned = new AbandonedRanges()
  /** The version of the genesis block's state; -1 if there is none. */
  genesis: Version = -1
  protected readonly accounts = new Map<AddressKey, AccountCell>()
  /** The newest table of each account, which links to older ones. */
  protected readonly tables = new Map<AddressKey, SlotTable>()
  readonly #copies = new PooledCopies()
  /** Copies of slots' values: what is written may be a view of a large array. */
  readonly #values = new RecentItems((value, at, length) => ({
    bytes: this.#copies.of(value, at, length),
  }))

  account(key: AddressKey, version: Version): AccountRecord | null {
    const cell = this.accounts.get(key)
    if (cell === undefined) return null
    if (cell.version <= version && this.abandoned.isEmpty) return cell.value
    return cell.at(version, this.abandoned) ?? null
  }

  /** Keys of the accounts that a version has written. May be iterated while the state changes. */
  accountKeys(): Iterable<AddressKey> {
    return this.accounts.keys()
  }

  slot(key: AddressKey, slot: SlotKey, version: Version): Uint8Array {
    const cell = this.table(key, version)?.cells.get(slot)
    if (cell === undefined) return EMPTY_BYTES
    if (cell.version <= version && this.abandoned.isEmpty) return cell.value
    return cell.at(version, this.abandoned) ?? EMPTY_BYTES
  }

  /** All that versions have written, as a reader at `version` sees it. */
  *written(version: Version): Paced<StateDiff> {
    const diff: StateDiff = { accounts: new Map(), storage: new Map() }
    for (const [key, cell] of this.accounts) {
      const record = cell.at(version, this.abandoned)
      if (record !== undefined) diff.accounts.set(key, record)
      yield
    }
    for (const key of this.tables.keys()) {
      const table = this.table(key, version)
      if (table === undefined) continue
      const slots = new Map<SlotKey, Uint8Array>()
      for (const [slot, cell] of table.cells) {
        const value = cell.at(version, this.abandoned)
        if (value !== undefined) slots.set(slot, value)
        yield
      }
      const cleared = table.since > 0
      if (cleared || slots.size > 0) diff.storage.set(key, { cleared, slots })
    }
    return diff
  }

  /** The non-zero slots. */
  *slots(key: AddressKey, version: Version): Generator<readonly [SlotKey, Uint8Array]> {
    const table = this.table(key, version)
    if (table === undefined) return
    for (const [slot, cell] of table.cells) {
      const value = cell.at(version, this.abandoned)
      if (value !== undefined && value.length > 0) yield [slot, value]
    }
  }

  /** See {@link StateReader.hasOldStorage}. */
  hasOldStorage(key: AddressKey, version: Version): boolean {
    const isCleared = (this.table(key, version)?.since ?? 0) > Math.max(0, this.genesis)
    return !isCleared && this.slots(key, this.genesis).next().done !== true
  }

  /** Writes `diff` as `version`, which follows `head`; returns the keys whose values changed. */
  write(diff: StateDiff, version: Version, head: Version): Changes {
    const changes = new ChangesBuilder()
    for (const [key, record] of diff.accounts) {
      const cell = this.accounts.get(key)
      const before = cell?.at(head, this.abandoned)
      const known = before === undefined ? this.accountBelow(key, head) : before
      if (known !== undefined && sameRecord(known, record)) continue
      if (cell === undefined) this.accounts.set(key, new AccountCell(version, record))
      else cell.put(version, record)
      changes.accounts.push(key)
    }
    for (const [key, change] of diff.storage) {
      this.#writeStorage(key, change, version, head, changes)
    }
    return changes.build(version)
  }

  #writeStorage(
    key: AddressKey,
    { cleared, slots }: StorageDiff,
    version: Version,
    head: Version,
    changes: ChangesBuilder,
  ): void {
    let table = this.table(key, head)
    if (cleared && ((table?.cells.size ?? 0) > 0 || this.storageBelow(table))) {
      table = new SlotTable(version, this.tables.get(key) ?? new SlotTable(0, undefined))
      this.tables.set(key, table)
      changes.cleared.push(key)
    }
    for (const [slot, value] of slots) {
      const cell = table?.cells.get(slot)
      const known = cell?.at(head, this.abandoned) ?? this.slotBelow(key, slot, table, head)
      if (known !== undefined && sameBytes(known, value)) continue
      changes.owners.push(key)
      changes.slots.push(slot)
      const kept = value.length === 0 ? EMPTY_BYTES : this.#values.of(value).bytes
      if (cell !== undefined) {
        cell.put(version, kept)
        continue
      }
      if (table === undefined) {
        table = new SlotTable(0, undefined)
        this.tables.set(key, table)
      }
      table.cells.set(slot, new SlotCell(version, kept))
    }
  }

  /** Erases the versions from `after` (exclusive) to `until` (inclusive), given their changes. */
  erase(changes: readonly Changes[], after: Version, until: Version): void {
    for (const { accounts, cleared, owners, slots } of changes) {
      for (const key of accounts) {
        if (this.accounts.get(key)?.remove(after, until)) this.accounts.delete(key)
      }
      slots.forEach((slot, index) => {
        const owner = owners[index]
        if (owner !== undefined) this.#eraseSlot(owner, slot, after, until)
      })
      for (const key of cleared) this.#eraseTables(key, after, until)
    }
  }

  #eraseSlot(key: AddressKey, slot: SlotKey, after: Version, until: Version): void {
    for (let table = this.tables.get(key); table !== undefined; table = table.older) {
      if (table.cells.get(slot)?.remove(after, until)) table.cells.delete(slot)
    }
    this.#dropBareTable(key)
  }

  #eraseTables(key: AddressKey, after: Version, until: Version): void {
    const kept: SlotTable[] = []
    for (let table = this.tables.get(key); table !== undefined; table = table.older) {
      if (table.since <= after || table.since > until) kept.push(table)
    }
    const [newest] = kept
    if (newest === undefined) this.tables.delete(key)
    else this.tables.set(key, newest)
    kept.forEach((table, index) => {
      table.older = kept[index + 1]
    })
    this.#dropBareTable(key)
  }

  /** Removes the values that these changes superseded. Versions must be forgotten in order. */
  forget({ version, accounts, cleared, owners, slots }: Changes): void {
    for (const key of accounts) {
      const hides = this.accountBelow(key, version) !== null
      if (this.accounts.get(key)?.forgetBefore(version, hides)) this.accounts.delete(key)
    }
    for (const key of cleared) {
      const table = this.table(key, version)
      if (table !== undefined) table.older = undefined
    }
    slots.forEach((slot, index) => {
      const owner = owners[index]
      if (owner === undefined) return
      const table = this.table(owner, version)
      const hides = this.slotBelow(owner, slot, table, version)?.length !== 0
      if (table?.cells.get(slot)?.forgetBefore(version, hides)) table.cells.delete(slot)
      this.#dropBareTable(owner)
    })
    for (const key of cleared) this.#dropBareTable(key)
  }

  /** Counts the values in all versions by visiting each. */
  countValues(): number {
    let count = 0
    for (const cell of this.accounts.values()) count += cell.size
    for (const newest of this.tables.values()) {
      for (let table: SlotTable | undefined = newest; table !== undefined; table = table.older) {
        for (const cell of table.cells.values()) count += cell.size
      }
    }
    return count
  }

  /** As {@link account}; `undefined` if it is not known yet. */
  knownAccount(key: AddressKey, version: Version): AccountRecord | null | undefined {
    const own = this.ownAccount(key, version)
    return own === undefined ? this.accountBelow(key, version) : own
  }

  /** As {@link slot}; `undefined` if it is not known yet. */
  knownSlot(key: AddressKey, slot: SlotKey, version: Version): Uint8Array | undefined {
    const table = this.table(key, version)
    const own = table?.cells.get(slot)?.at(version, this.abandoned)
    return own ?? this.slotBelow(key, slot, table, version)
  }

  /** `undefined` if no version wrote it. */
  protected ownAccount(key: AddressKey, version: Version): AccountRecord | null | undefined {
    return this.accounts.get(key)?.at(version, this.abandoned)
  }

  /**
   * An account that no version wrote, as a reader at `version` sees it; `undefined` if it is not
   * known yet.
   */
  protected accountBelow(_key: AddressKey, _version: Version): AccountRecord | null | undefined {
    return null
  }

  /** The same for a slot that is not in `table`. */
  protected slotBelow(
    _key: AddressKey,
    _slot: SlotKey,
    _table: SlotTable | undefined,
    _version: Version,
  ): Uint8Array | undefined {
    return EMPTY_BYTES
  }

  /** True if readers may see slots that are not in `table`. */
  protected storageBelow(_table: SlotTable | undefined): boolean {
    return false
  }

  /** Values that have to be fetched before a reader at `version` can read it; default: none. */
  lazyReads(_version: Version): LazyReads | undefined {
    return undefined
  }

  /** The slot table that a reader at `version` sees. */
  protected table(key: AddressKey, version: Version): SlotTable | undefined {
    let table = this.tables.get(key)
    while (
      table !== undefined &&
      (table.since > version || this.abandoned.skip(table.since, version) !== undefined)
    ) {
      table = table.older
    }
    return table
  }

  /** Drops an empty table, unless it hides an older one or what lies below. */
  #dropBareTable(key: AddressKey): void {
    const table = this.tables.get(key)
    if (table === undefined || table.older !== undefined || table.cells.size > 0) return
    if (table.since === 0 || !this.storageBelow(undefined)) this.tables.delete(key)
  }
}
