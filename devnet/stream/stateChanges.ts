import type { PendingView } from '../chain/building/pendingView.ts'
import { padTo32 } from '../primitives/bytes.ts'
import { toHex } from '../primitives/hex.ts'
import { changedAccounts, mergeDiffs } from '../state/diffs.ts'
import { addressHex, slotHex } from '../state/keys.ts'
import type { StateDiff } from '../state/types.ts'

/** The accounts that `view` has changed since `before`. */
export function stateChanges(view: PendingView, before: PendingView | undefined) {
  const diff = mergeDiffs(newDiffs(view, before))
  return [...new Set(changedAccounts(diff))].map((key) => {
    const slots = diff.storage.get(key)?.slots ?? []
    return {
      address: addressHex(key),
      /** `null` if it is gone. */
      account: view.state.account(key),
      /** The slots that have changed, 32 bytes each. */
      storage: Object.fromEntries(
        [...slots].map(([slot, value]) => [slotHex(slot), toHex(padTo32(value))]),
      ),
    }
  })
}

/** The changes of the state that `view` adds to `before`. */
export function newDiffs(view: PendingView, before: PendingView | undefined): readonly StateDiff[] {
  if (before === undefined) return [...view.cheatDiffs, ...view.blockDiffs]
  const cheats = view.cheatDiffs.slice(before.cheatDiffs.length)
  // A command that changes the sealed state also opens the empty block anew: skip its diffs.
  return cheats.length > 0 ? cheats : view.blockDiffs.slice(before.blockDiffs.length)
}
