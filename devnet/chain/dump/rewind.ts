import type { AccountRecord, AddressKey, SlotKey, StateDiff } from '../../state/types.ts'

/** A state that goes back in time, and remembers the way. */
export class Rewind {
  readonly #accounts: Map<AddressKey, AccountRecord>
  readonly #storage: Map<AddressKey, Map<SlotKey, Uint8Array>>

  constructor(state: StateDiff) {
    this.#accounts = new Map()
    for (const [key, record] of state.accounts) if (record !== null) this.#accounts.set(key, record)
    this.#storage = new Map([...state.storage].map(([key, { slots }]) => [key, new Map(slots)]))
  }

  /** Puts the values of `undo` in; answers what takes the state forward again. */
  undo(undo: StateDiff): StateDiff {
    const redo: StateDiff = { accounts: new Map(), storage: new Map() }
    for (const [key, record] of undo.accounts) {
      redo.accounts.set(key, this.#accounts.get(key) ?? null)
      if (record === null) this.#accounts.delete(key)
      else this.#accounts.set(key, record)
    }
    for (const [key, { slots }] of undo.storage) {
      const now = this.#storage.get(key) ?? new Map<SlotKey, Uint8Array>()
      const before = new Map<SlotKey, Uint8Array>()
      for (const [slot, value] of slots) {
        before.set(slot, now.get(slot) ?? NOTHING)
        if (value.length === 0) now.delete(slot)
        else now.set(slot, value)
      }
      this.#storage.set(key, now)
      redo.storage.set(key, { cleared: false, slots: before })
    }
    return redo
  }

  /** The state where it stands now, as a change of the empty one. */
  state(): StateDiff {
    const storage: StateDiff['storage'] = new Map()
    for (const [key, slots] of this.#storage) {
      if (slots.size > 0) storage.set(key, { cleared: false, slots })
    }
    return { accounts: this.#accounts, storage }
  }
}

const NOTHING = new Uint8Array(0)
