import type { AccountRecord, AddressKey, SlotKey, StateDiff } from '../types.ts'

/** More accounts and slots are not sent along: a prefetch that sees less only tells less. */
const MOST_CHANGES = 500

/** Changes since the fork block that such a call sees, collected from the newest layer down. */
export class PrefetchChanges implements StateDiff {
  readonly accounts: StateDiff['accounts'] = new Map()
  readonly storage: StateDiff['storage'] = new Map()
  readonly code: (codeHash: Uint8Array) => Uint8Array
  #size = 0

  constructor(code: (codeHash: Uint8Array) => Uint8Array) {
    this.code = code
  }

  /** True if there is room for more. */
  get hasRoom(): boolean {
    return this.#size < MOST_CHANGES
  }

  /** Adds an account, unless one above has changed it. */
  addAccount(key: AddressKey, record: AccountRecord | null): void {
    if (!this.hasRoom || this.accounts.has(key)) return
    this.#size++
    this.accounts.set(key, record)
  }

  /** Adds slots of an account, unless they were changed or dropped above. */
  addSlots(
    key: AddressKey,
    slots: Iterable<readonly [SlotKey, Uint8Array]>,
    cleared: boolean,
  ): void {
    let known = this.storage.get(key)
    if (known?.cleared === true) return
    if (known === undefined) {
      known = { cleared: false, slots: new Map() }
      this.storage.set(key, known)
    }
    for (const [slot, value] of slots) {
      if (!this.hasRoom) return
      if (known.slots.has(slot)) continue
      this.#size++
      known.slots.set(slot, value)
    }
    known.cleared = cleared
  }
}
