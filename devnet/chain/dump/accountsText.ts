import { addressHex, slotHex } from '../../state/keys.ts'
import type { AccountRecord, AddressKey, SlotKey } from '../../state/types.ts'
import type { StateView, VersionedStore } from '../../state/versionedStore.ts'
import type { Hex } from '../../types.ts'
import { padTo32, toHex } from '../bytes.ts'
import { toQuantity } from './headerJson.ts'
import type { Pieces } from './pieces.ts'
import { sorted } from './sorted.ts'

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
