import { EMPTY_BYTES } from '../../primitives/bytes.ts'
import { PrefetchChanges } from '../remote/prefetchChanges.ts'
import { MissError, type RemoteLayer } from '../remote/remoteLayer.ts'
import type { AccountRecord, AddressKey, LazyReads, SlotKey, Version } from '../types.ts'
import { StateHistory } from './stateHistory.ts'
import { hidesBelow, type SlotTable } from './versionedCell.ts'

/**
 * As {@link StateHistory}, on top of the state of a fork block: values that no version has written
 * are those of the fork block. So deletions, zeros and clears are stored like other values, as long
 * as they hide a value of the fork block.
 */
export class ForkedHistory extends StateHistory {
  readonly #remote: RemoteLayer

  constructor(remote: RemoteLayer) {
    super()
    this.#remote = remote
  }

  /** @throws {MissError} if it is not known yet */
  override account(key: AddressKey, version: Version): AccountRecord | null {
    const own = this.ownAccount(key, version)
    if (own !== undefined) return own
    const record = this.#remote.account(key)
    if (record !== undefined) return record
    throw new MissError(() => this.#remote.load({ accounts: [key], slots: [] }))
  }

  /** @throws {MissError} if it is not known yet */
  override slot(key: AddressKey, slot: SlotKey, version: Version): Uint8Array {
    const value = this.knownSlot(key, slot, version)
    if (value !== undefined) return value
    throw new MissError(() => this.#remote.load({ accounts: [], slots: [[key, slot]] }))
  }

  /** The non-zero slots that are known. */
  override *slots(key: AddressKey, version: Version): Generator<readonly [SlotKey, Uint8Array]> {
    yield* super.slots(key, version)
    const table = this.table(key, version)
    if (hidesBelow(table)) return
    for (const entry of this.#remote.slots(key)) {
      if (table?.cells.get(entry[0])?.at(version, this.abandoned) === undefined) yield entry
    }
  }

  /** Always false: the upstream is not asked, and known slots depend on earlier reads. */
  override hasOldStorage(): boolean {
    return false
  }

  override lazyReads(version: Version): LazyReads {
    const lacksAccount = (key: AddressKey) => this.knownAccount(key, version) === undefined
    const lacksSlot = (key: AddressKey, slot: SlotKey) =>
      this.knownSlot(key, slot, version) === undefined
    return {
      account: (key) =>
        lacksAccount(key) ? this.#remote.load({ accounts: [key], slots: [] }) : undefined,
      slot: (key, slot) =>
        lacksSlot(key, slot)
          ? this.#remote.load({ accounts: [], slots: [[key, slot]] })
          : undefined,
      // The code is loaded together with its account.
      code: () => undefined,
      all: (keys) => {
        const accounts = keys.accounts.filter(lacksAccount)
        const slots = keys.slots.filter(([key, slot]) => lacksSlot(key, slot))
        if (accounts.length + slots.length === 0) return undefined
        return this.#remote.load({ accounts, slots })
      },
      prefetch: (call, above) => {
        this.#remote.prefetch(call, (code) =>
          this.#addOwn(above?.() ?? new PrefetchChanges(code), version),
        )
      },
    }
  }

  /** Adds what the versions have changed in the fork block's state. */
  #addOwn(changes: PrefetchChanges, version: Version): PrefetchChanges {
    for (const key of this.accounts.keys()) {
      if (!changes.hasRoom) return changes
      const own = this.ownAccount(key, version)
      if (own !== undefined) changes.addAccount(key, own)
    }
    for (const key of this.tables.keys()) {
      if (!changes.hasRoom) return changes
      const table = this.table(key, version)
      if (table !== undefined)
        changes.addSlots(key, this.#ownSlots(table, version), hidesBelow(table))
    }
    return changes
  }

  *#ownSlots(table: SlotTable, version: Version): Generator<readonly [SlotKey, Uint8Array]> {
    for (const [slot, cell] of table.cells) {
      const value = cell.at(version, this.abandoned)
      if (value !== undefined) yield [slot, value]
    }
  }

  protected override accountBelow(key: AddressKey): AccountRecord | null | undefined {
    return this.#remote.account(key)
  }

  protected override slotBelow(
    key: AddressKey,
    slot: SlotKey,
    table: SlotTable | undefined,
  ): Uint8Array | undefined {
    return hidesBelow(table) ? EMPTY_BYTES : this.#remote.slot(key, slot)
  }

  protected override storageBelow(table: SlotTable | undefined): boolean {
    return !hidesBelow(table)
  }
}
