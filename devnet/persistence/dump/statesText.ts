import { EMPTY_BYTES, padTo32 } from '../../primitives/bytes.ts'
import { type Hex, quantity, toHex } from '../../primitives/hex.ts'
import { changedAccounts } from '../../state/diffs.ts'
import { addressHex, slotHex } from '../../state/keys.ts'
import type { StateView, VersionedStore } from '../../state/store/versionedStore.ts'
import type { AccountRecord, SlotKey } from '../../state/types.ts'

/** Text of a dump in chunks; `undefined` is no text, but a place where the caller may pause. */
export type Chunks = Generator<string | undefined, void>

/** Number of keys that are sorted without a pause, in about 2 ms. */
const RUN = 4096

/** Number of keys that are processed between two pauses. */
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
 * A JSON object as text, its names in the order of `keys` when sorted.
 *
 * @param textOf - the text of a value; `undefined` leaves the key out
 */
export function* objectText<Key extends string>(
  keys: Iterable<Key>,
  nameOf: (key: Key) => Hex,
  textOf: (key: Key) => string | Chunks | undefined,
): Chunks {
  let separator = '{'
  for (const key of yield* sorted(keys)) {
    const text = textOf(key)
    const name = `${separator}"${nameOf(key)}":`
    if (typeof text === 'object') {
      yield name
      yield* text
    } else yield text && name + text
    if (text !== undefined) separator = ','
  }
  yield separator === '{' ? '{}' : '}'
}

/**
 * All accounts of a state as a JSON object, in anvil's form and in the order of their addresses.
 * Of a forked chain, what was changed there.
 *
 * @param codes - receives the hash of each code that is written
 */
export function* accountsText(store: VersionedStore, state: StateView, codes: Set<Hex>): Chunks {
  const own = store.remote === undefined ? undefined : yield* store.writtenAt(state.version)
  const keys = own === undefined ? store.accountKeys() : changedAccounts(own)
  yield* objectText(keys, addressHex, (key) => {
    const record = state.account(key)
    if (record === null) return undefined
    const code = state.code(record.codeHash)
    if (code.length > 0) codes.add(toHex(record.codeHash))
    const fields = `{"nonce":${nonceText(record)},"balance":"${quantity(record.balance)}","code":"${toHex(code)}"`
    return storageText(fields, own === undefined ? state.slots(key) : own.storage.get(key)?.slots)
  })
}

/** The nonce as a JSON number, as anvil requires, or as text if a JavaScript number is inexact. */
function nonceText({ nonce }: AccountRecord): string {
  return nonce <= BigInt(Number.MAX_SAFE_INTEGER) ? String(nonce) : `"${quantity(nonce)}"`
}

/** An account of these fields, with the slots that are not zero. */
function* storageText(
  fields: string,
  entries: Iterable<readonly [SlotKey, Uint8Array]> = [],
): Chunks {
  const values = new Map<SlotKey, Uint8Array>()
  for (const [slot, value] of entries) {
    if (value.length > 0) values.set(slot, value)
    if (values.size % STEPS === 0) yield
  }
  yield `${fields},"storage":`
  const textOf = (slot: SlotKey) => `"${toHex(padTo32(values.get(slot) ?? EMPTY_BYTES))}"`
  yield* objectText(values.keys(), slotHex, textOf)
  yield '}'
}
