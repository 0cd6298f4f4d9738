import { encodeBlockAccessList } from '../../protocol/blockAccessList.ts'
import { accessesBetween, type StepAccesses } from '../../protocol/stepAccesses.ts'
import { OPENING_KEYS } from '../../protocol/systemContracts.ts'
import type { VersionedStore } from '../../state/store/versionedStore.ts'
import type { AddressKey, SlotKey, StateReader } from '../../state/types.ts'
import type { PendingView } from './pendingView.ts'

/**
 * The RLP of the access list of a pending block (EIP-7928), as far as it goes: without what follows
 * its transactions. `undefined` before Amsterdam.
 */
export async function pendingAccessList(
  view: PendingView,
  store: VersionedStore,
): Promise<Uint8Array | undefined> {
  if (!view.environment.rules.blockAccessLists) return undefined
  return encodeBlockAccessList([await openingAccesses(view, store), ...view.accesses])
}

/**
 * The RLP of what a view adds to the access list of the one before it: of its transactions, and
 * without one before also of the opening, but on a forked chain, which may not know yet what that
 * overwrites. `undefined` before Amsterdam.
 */
export function addedAccessList(
  view: PendingView,
  last: PendingView | undefined,
  store: VersionedStore,
): Uint8Array | undefined {
  const { rules, parent } = view.environment
  if (!rules.blockAccessLists) return undefined
  if (last !== undefined) {
    const { length } = last.accesses
    return encodeBlockAccessList(view.accesses.slice(length), length + 1)
  }
  const before = store.view(parent.version)
  const opening = before.lazyReads === undefined ? openingBetween(view, before) : []
  return encodeBlockAccessList([opening, ...view.accesses])
}

/**
 * The accesses of the system calls that open a block. What they overwrite is fetched first, on a
 * forked chain.
 */
export async function openingAccesses(view: Opened, store: VersionedStore): Promise<StepAccesses> {
  const before = store.view(view.environment.parent.version)
  const slots = OPENING_KEYS.flatMap((key) =>
    [...writesOf(view, key).keys()].map((slot) => [key, slot] as const),
  )
  const ready = before.lazyReads?.all({ accounts: OPENING_KEYS, slots })
  if (ready !== undefined) await ready
  return openingBetween(view, before)
}

type Opened = Pick<PendingView, 'environment' | 'opening'>

function openingBetween(view: Opened, before: StateReader): StepAccesses {
  const after = {
    account: (key: AddressKey) => before.account(key),
    slot: (key: AddressKey, slot: SlotKey) =>
      writesOf(view, key).get(slot) ?? before.slot(key, slot),
  }
  return accessesBetween(
    before,
    after,
    OPENING_KEYS.map((key) => [key, writesOf(view, key).keys()]),
  )
}

function writesOf({ opening }: Opened, key: AddressKey): ReadonlyMap<SlotKey, Uint8Array> {
  return opening?.storage.get(key)?.slots ?? NOTHING
}

const NOTHING: ReadonlyMap<SlotKey, Uint8Array> = new Map()
