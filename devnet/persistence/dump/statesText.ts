import { EMPTY_BYTES, padTo32, sameBytes } from '../../primitives/bytes.ts'
import { type Hex, quantity, toHex } from '../../primitives/hex.ts'
import { sameRecord } from '../../state/accounts.ts'
import { EMPTY_CODE_HASH } from '../../state/codes.ts'
import { changedAccounts } from '../../state/diffs.ts'
import { addressHex, slotHex } from '../../state/keys.ts'
import type { StateView, VersionedStore } from '../../state/store/versionedStore.ts'
import type { AccountRecord, AddressKey, SlotKey } from '../../state/types.ts'

/** Text of a dump in chunks; `undefined` is no text, but a place where the caller may pause. */
export type Chunks = Generator<string | undefined, void>

/** Number of keys that are sorted without a pause, in about 2 ms. */
const RUN = 4096

/** Number of keys or slots that are processed between two pauses. */
const STEPS = 512

/** Sorts strings by their UTF-16 code units; yields at places where the caller may pause. */
export function* sorted<Key extends string>(keys: Iterable<Key>): Generator<undefined, Key[]> {
  let runs: Key[][] = []
  let run: Key[] = []
  for (const key of keys) {
    run.push(key)
    if (run.length < RUN) continue
    runs.push(run.sort())
    run = []
    yield
  }
  runs.push(run.sort())
  while (runs.length > 1) {
    const merged: Key[][] = []
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* merge(runs[index] ?? [], runs[index + 1] ?? []))
    }
    runs = merged
  }
  return runs[0] ?? []
}

function* merge<Key extends string>(
  left: readonly Key[],
  right: readonly Key[],
): Generator<undefined, Key[]> {
  const merged: Key[] = []
  let at = 0
  let pause = STEPS
  for (const key of left) {
    for (let other = right[at]; other !== undefined && other < key; other = right[at]) {
      merged.push(other)
      at++
    }
    merged.push(key)
    if (merged.length < pause) continue
    pause = merged.length + STEPS
    yield
  }
  return merged.concat(right.slice(at))
}

/**
 * All accounts of a state as a JSON object, in anvil's form and in the order of their addresses.
 * Of a forked chain, what was changed there.
 *
 * @param codes - receives the hash of each code that is written
 */
export function* accountsText(store: VersionedStore, state: StateView, codes: Set<Hex>): Chunks {
  const own = store.remote === undefined ? undefined : yield* store.writtenAt(state.version)
  const keys = yield* sorted(own === undefined ? store.accountKeys() : changedAccounts(own))
  let separator = '{'
  for (const key of keys) {
    const record = state.account(key)
    if (record === null) continue
    const code = state.code(record.codeHash)
    if (code.length > 0) codes.add(toHex(record.codeHash))
    yield `${separator}"${addressHex(key)}":{"nonce":${nonceText(record)},"balance":"${quantity(record.balance)}","code":"${toHex(code)}","storage":`
    yield* storageText(own === undefined ? state.slots(key) : own.storage.get(key)?.slots)
    yield '}'
    separator = ','
  }
  yield separator === '{' ? '{}' : '}'
}

/** The nonce as a JSON number, as anvil requires, or as text if a JavaScript number is inexact. */
function nonceText({ nonce }: AccountRecord): string {
  return nonce <= BigInt(Number.MAX_SAFE_INTEGER) ? String(nonce) : `"${quantity(nonce)}"`
}

/** The slots that are not zero. */
function* storageText(entries: Iterable<readonly [SlotKey, Uint8Array]> = []): Chunks {
  const values = new Map<SlotKey, Uint8Array>()
  for (const [slot, value] of entries) {
    if (value.length > 0) values.set(slot, value)
    if (values.size % STEPS === 0) yield
  }
  const slots = yield* sorted(values.keys())
  let text = '{'
  for (const [index, slot] of slots.entries()) {
    const value = toHex(padTo32(values.get(slot) ?? EMPTY_BYTES))
    text += `${index === 0 ? '' : ','}"${slotHex(slot)}":"${value}"`
    if (index % STEPS !== STEPS - 1) continue
    yield text
    text = ''
  }
  yield `${text}}`
}

/**
 * The change from the state `now` back to the older one `before`: a JSON field with a comma in
 * front, or nothing if they are equal. Equal states give equal text. Code is named by its hash.
 *
 * @param codes - receives the hashes of these codes
 */
export function* undoText(
  name: string,
  store: VersionedStore,
  before: StateView,
  now: StateView,
  codes: Set<Hex>,
): Chunks {
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

/** An account as JSON text. @param codes - receives the hash of its code */
export function recordText(record: AccountRecord | null, codes: Set<Hex>): string {
  if (record === null) return 'null'
  const { nonce, balance, codeHash } = record
  const fields = `"nonce":"${quantity(nonce)}","balance":"${quantity(balance)}"`
  if (codeHash === EMPTY_CODE_HASH) return `{${fields}}`
  const hash = toHex(codeHash)
  codes.add(hash)
  return `{${fields},"code_hash":"${hash}"}`
}

function* writtenKeys(store: VersionedStore, before: StateView, now: StateView) {
  const accounts = new Set<AddressKey>()
  const slots = new Map<AddressKey, Set<SlotKey>>()
  const addSlot = (key: AddressKey, slot: SlotKey) => {
    const set = slots.get(key) ?? new Set()
    slots.set(key, set.add(slot))
  }
  let count = 0
  for (const written of store.writtenBetween(before.version, now.version)) {
    for (const key of written.accounts) {
      accounts.add(key)
      if (++count % STEPS === 0) yield
    }
    // `written` does not list the slots of a cleared account: include all that it had before.
    for (const key of written.cleared) {
      for (const [slot] of before.slots(key)) {
        addSlot(key, slot)
        if (++count % STEPS === 0) yield
      }
    }
    for (const [index, slot] of written.slots.entries()) {
      const owner = written.owners[index]
      if (owner !== undefined) addSlot(owner, slot)
      if (++count % STEPS === 0) yield
    }
  }
  return { accounts, slots }
}
