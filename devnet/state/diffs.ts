import type { StateDiff, StorageDiff } from './types.ts'

/** Merges diffs, oldest first. A single diff is returned as it is. */
export function mergeDiffs(diffs: readonly StateDiff[]): StateDiff {
  const [only] = diffs
  if (only !== undefined && diffs.length === 1) return only
  const merged: StateDiff = { accounts: new Map(), storage: new Map() }
  for (const { accounts, storage } of diffs) {
    for (const [key, record] of accounts) merged.accounts.set(key, record)
    for (const [key, change] of storage) {
      merged.storage.set(key, mergeStorage(merged.storage.get(key), change))
    }
  }
  return merged
}

function mergeStorage(before: StorageDiff | undefined, after: StorageDiff): StorageDiff {
  if (before === undefined || after.cleared) {
    return { cleared: after.cleared, slots: new Map(after.slots) }
  }
  for (const [slot, value] of after.slots) before.slots.set(slot, value)
  return before
}

export function isEmptyDiff(diff: StateDiff): boolean {
  return diff.accounts.size === 0 && diff.storage.size === 0
}
