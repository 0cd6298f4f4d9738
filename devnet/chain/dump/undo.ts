import { sameBytes, sameRecord } from '../../state/sameValue.ts'
import type { AddressKey, SlotKey, StateDiff } from '../../state/types.ts'
import type { StateView, VersionedStore } from '../../state/versionedStore.ts'

/**
 * What makes the state `now` the older one `before` again. The same for the same two states, its keys in the order of
 * their bytes included.
 */
export function undoBetween(store: VersionedStore, before: StateView, now: StateView): StateDiff {
  const undo: StateDiff = { accounts: new Map(), storage: new Map() }
  const { accounts, slots } = writtenKeys(store, before, now)
  for (const key of [...accounts].sort()) {
    const record = before.account(key)
    if (!sameRecord(record, now.account(key))) undo.accounts.set(key, record)
  }
  for (const key of [...slots.keys()].sort()) {
    const changed = new Map<SlotKey, Uint8Array>()
    for (const slot of [...(slots.get(key) ?? [])].sort()) {
      const value = before.slot(key, slot)
      if (!sameBytes(value, now.slot(key, slot))) changed.set(slot, value)
    }
    if (changed.size > 0) undo.storage.set(key, { cleared: false, slots: changed })
  }
  return undo
}

function writtenKeys(store: VersionedStore, before: StateView, now: StateView) {
  const accounts = new Set<AddressKey>()
  const slots = new Map<AddressKey, Set<SlotKey>>()
  const slotsOf = (key: AddressKey) => {
    let set = slots.get(key)
    if (set === undefined) {
      set = new Set()
      slots.set(key, set)
    }
    return set
  }
  for (const written of store.writtenBetween(before.version, now.version)) {
    for (const key of written.accounts) accounts.add(key)
    // A clear names no slots: all that were there before may be gone.
    for (const key of written.cleared) {
      for (const [slot] of before.slots(key)) slotsOf(key).add(slot)
    }
    written.slots.forEach((slot, index) => {
      const owner = written.owners[index]
      if (owner !== undefined) slotsOf(owner).add(slot)
    })
  }
  return { accounts, slots }
}
