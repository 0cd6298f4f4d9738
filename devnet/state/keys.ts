import { bytesToText, writeWord } from '../primitives/bytes.ts'
import { StateUsageError } from '../primitives/errors.ts'
import type { Hex } from '../primitives/hex.ts'
import type { AddressKey, SlotKey } from './types.ts'

// Only this file casts text to keys, each time after a check of the length.

const ADDRESS_LENGTH = 20
const SLOT_LENGTH = 32

/** Makes an account's key from 20 bytes. @throws {StateUsageError} on any other length */
export function addressKey(bytes: Uint8Array): AddressKey {
  if (bytes.length !== ADDRESS_LENGTH) throw wrongLength('address', ADDRESS_LENGTH, bytes.length)
  return bytesToText(bytes) as AddressKey
}

/** Makes an account's key from the 20 bytes at `offset`. */
export function addressKeyAt(bytes: Uint8Array, offset: number): AddressKey {
  return bytesToText(bytes, offset, offset + ADDRESS_LENGTH) as AddressKey
}

/** The keys of accounts that lie one behind the other in `text`. */
export function addressKeysIn(text: string): AddressKey[] {
  const keys: AddressKey[] = []
  for (let at = 0; at < text.length; at += ADDRESS_LENGTH) {
    keys.push(text.slice(at, at + ADDRESS_LENGTH) as AddressKey)
  }
  return keys
}

/** Makes an account's key from 0x and 40 digits of either case. @throws {StateUsageError} */
export function addressKeyFromHex(hex: string): AddressKey {
  if (!/^0x[0-9a-f]{40}$/i.test(hex)) throw new StateUsageError(`not an address: ${hex}`)
  return Buffer.from(hex.slice(2), 'hex').toString('latin1') as AddressKey
}

/** The address as 0x-prefixed lower-case hexadecimal. */
export function addressHex(key: AddressKey): Hex {
  return `0x${Buffer.from(key, 'latin1').toString('hex')}`
}

/** Makes a slot's key from 32 bytes. @throws {StateUsageError} on any other length */
export function slotKey(bytes: Uint8Array): SlotKey {
  if (bytes.length !== SLOT_LENGTH) throw wrongLength('slot', SLOT_LENGTH, bytes.length)
  return bytesToText(bytes) as SlotKey
}

/** Makes a slot's key from the 32 bytes at `offset`. */
export function slotKeyAt(bytes: Uint8Array, offset: number): SlotKey {
  return bytesToText(bytes, offset, offset + SLOT_LENGTH) as SlotKey
}

/** Makes a slot's key from 0x and 1 to 64 digits, padded in front. @throws {StateUsageError} */
export function slotKeyFromHex(hex: string): SlotKey {
  if (!/^0x[0-9a-f]{1,64}$/i.test(hex)) throw new StateUsageError(`not a slot: ${hex}`)
  return Buffer.from(hex.slice(2).padStart(64, '0'), 'hex').toString('latin1') as SlotKey
}

/** Reused, because every SLOAD and SSTORE makes a key. The key is a copy of these bytes. */
const scratch = new Uint8Array(SLOT_LENGTH)

/** Makes a slot's key from a number of 0 to 2^256 - 1. @throws {StateUsageError} */
export function slotKeyFromBigInt(slot: bigint): SlotKey {
  if (slot < 0n || slot >= 1n << 256n) throw new StateUsageError(`not a slot: ${slot}`)
  writeWord(scratch, 0, slot)
  return bytesToText(scratch) as SlotKey
}

/** The number of the slot as 0x and 64 lower-case digits. */
export function slotHex(key: SlotKey): Hex {
  return `0x${Buffer.from(key, 'latin1').toString('hex')}`
}

function wrongLength(what: string, expected: number, actual: number): StateUsageError {
  return new StateUsageError(`a ${what} key needs ${expected} bytes, got ${actual}`)
}
