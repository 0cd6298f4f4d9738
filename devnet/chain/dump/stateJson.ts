import { EMPTY_CODE_HASH } from '../../state/codes.ts'
import { addressHex, slotHex } from '../../state/keys.ts'
import type { AccountRecord, AddressKey, SlotKey, StateDiff } from '../../state/types.ts'
import type { StateView, VersionedStore } from '../../state/versionedStore.ts'
import type { Hex } from '../../types.ts'
import { padTo32, toHex } from '../bytes.ts'
import { toQuantity } from './headerJson.ts'
import { sorted } from './sorted.ts'

/** Text of a dump; `undefined` is a place to pause without any. */
export type Pieces<Result = void> = Generator<string | undefined, Result>

/** Slots written between two pauses. */
const STEP = 512

/**
 * All accounts of a state as a JSON object, in anvil's form and in the order of their addresses.
 *
 * @param codes - gets the hash of each code that is written
 */
export function* accountsText(store: VersionedStore, state: StateView, codes: Set<Hex>): Pieces {
  const keys = yield* sorted(store.accountKeys())
  let separator = '{'
  for (const key of keys) {
    const record = state.account(key)
    if (record === null) continue
    const code = state.code(record.codeHash)
    if (code.length > 0) codes.add(toHex(record.codeHash))
    yield `${separator}"${addressHex(key)}":{"nonce":${nonceText(record)},"balance":"${toQuantity(record.balance)}","code":"${toHex(code)}","storage":`
    yield* storageText(state, key)
    yield '}'
    separator = ','
  }
  yield separator === '{' ? '{}' : '}'
}

/** A JSON number, as anvil wants it, unless JSON readers would round it. */
function nonceText({ nonce }: AccountRecord): string {
  return nonce <= BigInt(Number.MAX_SAFE_INTEGER) ? String(nonce) : `"${toQuantity(nonce)}"`
}

function* storageText(state: StateView, key: AddressKey): Pieces {
  const slots = yield* sorted(slotKeys(state, key))
  if (slots.length === 0) {
    yield '{}'
    return
  }
  let text = '{'
  for (const [index, slot] of slots.entries()) {
    const value = toHex(padTo32(state.slot(key, slot)))
    text += `${index === 0 ? '' : ','}"${slotHex(slot)}":"${value}"`
    if (index % STEP !== STEP - 1) continue
    yield text
    text = ''
  }
  yield `${text}}`
}

function* slotKeys(state: StateView, key: AddressKey): Generator<SlotKey> {
  for (const [slot] of state.slots(key)) yield slot
}

/**
 * What a block or a cheat changed, as the values before it; `undefined` where it changed nothing. Code is named by its
 * hash.
 *
 * @param codes - gets these hashes
 */
export function undoToJson(undo: StateDiff, codes: Set<Hex>): object | undefined {
  const accounts: Record<Hex, object | null> = {}
  for (const [key, record] of undo.accounts) {
    accounts[addressHex(key)] = record === null ? null : recordToJson(record, codes)
  }
  const storage: Record<Hex, Record<Hex, Hex>> = {}
  for (const [key, { slots }] of undo.storage) {
    const values: Record<Hex, Hex> = {}
    for (const [slot, value] of slots) values[slotHex(slot)] = toHex(value)
    storage[addressHex(key)] = values
  }
  if (undo.accounts.size + undo.storage.size === 0) return undefined
  return { accounts, storage }
}

function recordToJson({ nonce, balance, codeHash }: AccountRecord, codes: Set<Hex>): object {
  const record = { nonce: toQuantity(nonce), balance: toQuantity(balance) }
  if (codeHash === EMPTY_CODE_HASH) return record
  const code_hash = toHex(codeHash)
  codes.add(code_hash)
  return { ...record, code_hash }
}
