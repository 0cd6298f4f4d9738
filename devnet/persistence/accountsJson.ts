import { withoutLeadingZeros } from '../primitives/bytes.ts'
import { fromHex } from '../primitives/hex.ts'
import type { Paced } from '../primitives/paced.ts'
import type { Codes } from '../state/codes.ts'
import { addressKeyFromHex, slotKeyFromHex } from '../state/keys.ts'
import type { AddressKey, SlotKey, StateDiff } from '../state/types.ts'
import { hexDigits, type JsonFields } from './jsonFields.ts'

/**
 * Reads the accounts of a genesis file or a dump: an object keyed by address. Keeps empty
 * accounts, as geth does.
 *
 * @throws {ChainFileError} if one is malformed
 */
export function* readState(accounts: JsonFields, codes: Codes): Paced<StateDiff> {
  const state: StateDiff = { accounts: new Map(), storage: new Map() }
  for (const name of accounts.names()) {
    const key = readAddress(accounts, name)
    const account = accounts.requiredObject(name)
    state.accounts.set(key, {
      nonce: account.number('nonce') ?? 0n,
      balance: account.number('balance', 256) ?? 0n,
      codeHash: codes.add(fromHex(account.bytes('code') ?? '0x')),
    })
    const slots = yield* readSlots(account.objectOrEmpty('storage'))
    if (slots.size > 0) state.storage.set(key, { cleared: false, slots })
    yield
  }
  return state
}

/** Reads the name of a field of `accounts`, which must be an address. @throws {ChainFileError} */
export function readAddress(accounts: JsonFields, name: string): AddressKey {
  const digits = hexDigits(name)
  if (digits?.length === 40) return addressKeyFromHex(`0x${digits}`)
  throw accounts.error(name, 'is not an address of 40 hexadecimal digits')
}

/**
 * Reads storage slots, whose fields are named by slot number.
 *
 * @param keepsZeros - whether a zero value is kept, as empty bytes. Default: false
 */
export function* readSlots(
  storage: JsonFields,
  keepsZeros = false,
): Paced<Map<SlotKey, Uint8Array>> {
  const slots = new Map<SlotKey, Uint8Array>()
  for (const name of storage.names()) {
    const digits = hexDigits(name) ?? ''
    if (digits.length === 0 || digits.length > 64) {
      throw storage.error(name, 'is not a storage slot in hexadecimal')
    }
    const key = slotKeyFromHex(`0x${digits}`)
    const value = withoutLeadingZeros(fromHex(storage.bytes(name, 32) ?? '0x'))
    if (keepsZeros || value.length > 0) slots.set(key, value)
    else slots.delete(key)
    yield
  }
  return slots
}
