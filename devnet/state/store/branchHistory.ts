import { EMPTY_BYTES } from '../../primitives/bytes.ts'
import type { Paced } from '../../primitives/paced.ts'
import { mergeDiffs } from '../diffs.ts'
import type { AccountRecord, AddressKey, LazyReads, SlotKey, StateDiff, Version } from '../types.ts'
import { StateHistory } from './stateHistory.ts'
import { hidesBelow, type SlotTable } from './versionedCell.ts'
import type { Changes } from './versionLog.ts'

/**
 * As {@link StateHistory}, on top of another one as it was at one moment: what no version of its
 * own has written is the other's value. Both number their versions up to that moment alike.
 */
export class BranchHistory extends StateHistory {
  readonly #lower: StateHistory
  /** The newest version of the lower history that a version of its own follows. */
  #until: Version

  constructor(lower: StateHistory, until: Version) {
    super()
    this.#lower = lower
    this.#until = until
  }

  override account(key: AddressKey, version: Version): AccountRecord | null {
    const own = this.ownAccount(key, version)
    return own === undefined ? this.#lower.account(key, this.#below(version)) : own
  }

  override *accountKeys(): Generator<AddressKey> {
    yield* this.accounts.keys()
    for (const key of this.#lower.accountKeys()) if (!this.accounts.has(key)) yield key
  }

  override slot(key: AddressKey, slot: SlotKey, version: Version): Uint8Array {
    const table = this.table(key, version)
    const own = table?.cells.get(slot)?.at(version, this.abandoned)
    if (own !== undefined) return own
    return hidesBelow(table) ? EMPTY_BYTES : this.#lower.slot(key, slot, this.#below(version))
  }

  override *slots(key: AddressKey, version: Version): Generator<readonly [SlotKey, Uint8Array]> {
    yield* super.slots(key, version)
    const table = this.table(key, version)
    if (hidesBelow(table)) return
    for (const entry of this.#lower.slots(key, this.#below(version))) {
      if (table?.cells.get(entry[0])?.at(version, this.abandoned) === undefined) yield entry
    }
  }

  override hasOldStorage(key: AddressKey, version: Version): boolean {
    if (hidesBelow(this.table(key, version))) return false
    return this.#lower.hasOldStorage(key, this.#below(version))
  }

  override *written(version: Version): Paced<StateDiff> {
    const below = yield* this.#lower.written(this.#below(version))
    return mergeDiffs([below, yield* super.written(version)])
  }

  override lazyReads(version: Version): LazyReads | undefined {
    const lower = this.#lower.lazyReads(this.#below(version))
    if (lower === undefined) return undefined
    const lacksAccount = (key: AddressKey) => this.ownAccount(key, version) === undefined
    const lacksSlot = (key: AddressKey, slot: SlotKey) =>
      this.knownSlot(key, slot, version) === undefined
    return {
      account: (key) => (lacksAccount(key) ? lower.account(key) : undefined),
      slot: (key, slot) => (lacksSlot(key, slot) ? lower.slot(key, slot) : undefined),
      code: (codeHash) => lower.code(codeHash),
      all: ({ accounts, slots }) =>
        lower.all({
          accounts: accounts.filter(lacksAccount),
          slots: slots.filter(([key, slot]) => lacksSlot(key, slot)),
        }),
      // Leaves out the changes of this history: they could only improve the guess.
      prefetch: (call, changes) => lower.prefetch?.(call, changes),
    }
  }

  override erase(changes: readonly Changes[], after: Version, until: Version): void {
    super.erase(changes, after, until)
    // Nobody reads the versions in between any more.
    this.#until = Math.min(this.#until, after)
  }

  protected override accountBelow(
    key: AddressKey,
    version: Version,
  ): AccountRecord | null | undefined {
    return this.#lower.knownAccount(key, this.#below(version))
  }

  protected override slotBelow(
    key: AddressKey,
    slot: SlotKey,
    table: SlotTable | undefined,
    version: Version,
  ): Uint8Array | undefined {
    return hidesBelow(table) ? EMPTY_BYTES : this.#lower.knownSlot(key, slot, this.#below(version))
  }

  protected override storageBelow(table: SlotTable | undefined): boolean {
    return !hidesBelow(table)
  }

  /** The version of the lower history that a reader at `version` sees through to. */
  #below(version: Version): Version {
    let below = Math.min(version, this.#until)
    for (;;) {
      const older = this.abandoned.skip(below, version)
      if (older === undefined) return below
      below = older
    }
  }
}
