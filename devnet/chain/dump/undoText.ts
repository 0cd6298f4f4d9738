import { EMPTY_CODE_HASH } from '../../state/codes.ts'
import { addressHex, slotHex } from '../../state/keys.ts'
import { sameBytes, sameRecord } from '../../state/sameValue.ts'
import type { AccountRecord, AddressKey, SlotKey } from '../../state/types.ts'
import type { StateView, VersionedStore } from '../../state/versionedStore.ts'
import type { Hex } from '../../types.ts'
import { toHex } from '../bytes.ts'
import { toQuantity } from './headerJson.ts'
import type { Pieces } from './pieces.ts'
import { sorted } from './sorted.ts'

/** Keys that are looked at between two pauses. */
const STEP = 512

/**
 * What makes the state `now` the older one `before` again: a field of JSON with a comma in front, or nothing where both are
 * the same. The same text for the same two states. Code is named by its hash.
 *
 * @param codes - gets these hashes
 */
export function* undoText(
  name: string,
  store: VersionedStore,
  before: StateView,
  now: StateView,
  codes: Set<Hex>,
): Pieces {
  if (before.version === now.version) return
  const { accounts, slots } = yield* writtenKeys(store, before, now)
  let opening = `,"${name}":{"accounts":{`
  for (const key of yield* sorted(accounts)) {
    const record = before.account(key)
    if (sameRecord(record, now.account(key))) yield
    else {
      yield `${opening}"${addressHex(key)}":${recordText(record, codes)}`
      opening = ','
    }
  }
  const hasAccounts = opening === ','
  opening = hasAccounts ? '},"storage":{' : `${opening}},"storage":{`
  for (const key of yield* sorted(slots.keys())) {
    let inner = `${opening}"${addressHex(key)}":{`
    for (const slot of yield* sorted(slots.get(key) ?? [])) {
      const value = before.slot(key, slot)
      if (sameBytes(value, now.slot(key, slot))) yield
      else {
        yield `${inner}"${slotHex(slot)}":"${toHex(value)}"`
        inner = ','
      }
    }
    if (inner !== ',') continue
    yield '}'
    opening = ','
  }
  if (opening === ',') yield '}}'
  else if (hasAccounts) yield `${opening}}}`
}

function recordText(record: AccountRecord | null, codes: Set<Hex>): string {
  if (record === null) return 'null'
  const { nonce, balance, codeHash } = record
  const fields = `"nonce":"${toQuantity(nonce)}","balance":"${toQuantity(balance)}"`
  if (codeHash === EMPTY_CODE_HASH) return `{${fields}}`
  const hash = toHex(codeHash)
  codes.add(hash)
  return `{${fields},"code_hash":"${hash}"}`
}

interface WrittenKeys {
  readonly accounts: ReadonlySet<AddressKey>
  readonly slots: ReadonlyMap<AddressKey, ReadonlySet<SlotKey>>
}

function* writtenKeys(
  store: VersionedStore,
  before: StateView,
  now: StateView,
): Generator<undefined, WrittenKeys> {
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
  let count = 0
  for (const written of store.writtenBetween(before.version, now.version)) {
    for (const key of written.accounts) {
      accounts.add(key)
      if (++count % STEP === 0) yield
    }
    // A clear names no slots: all that were there before may be gone.
    for (const key of written.cleared) {
      for (const [slot] of before.slots(key)) {
        slotsOf(key).add(slot)
        if (++count % STEP === 0) yield
      }
    }
    for (const [index, slot] of written.slots.entries()) {
      const owner = written.owners[index]
      if (owner !== undefined) slotsOf(owner).add(slot)
      if (++count % STEP === 0) yield
    }
  }
  return { accounts, slots }
}
