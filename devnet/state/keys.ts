import { bytesToText, textToBytes, writeWord } from '../primitives/bytes.ts'
import { StateUsageError } from '../primitives/errors.ts'
import type { AddressKey, SlotKey } from './types.ts'

// The casts in this file are the only way to a key, and all of them stand behind a check of the length.

const ADDRESS_LENGTH = 20
const SLOT_LENGTH = 32

/**
 * The key of an account.
 *
 * @param bytes - 20 of them
 * @throws {StateUsageError} on another length
 */
export function addressKey(bytes: Uint8Array): AddressKey {
  if (bytes.length !== ADDRESS_LENGTH) throw wrongLength('address', ADDRESS_LENGTH, bytes.length)
  return bytesToText(bytes) as AddressKey
}

/**
 * The key of an account.
 *
 * @param hex - 0x and 40 digits of either case
 * @throws {StateUsageError} on anything else
 */
export function addressKeyFromHex(hex: string): AddressKey {
  if (!/^0x[0-9a-f]{40}$/i.test(hex)) throw new StateUsageError(`not an address: ${hex}`)
  return Buffer.from(hex.slice(2), 'hex').toString('latin1') as AddressKey
}

/** The 20 bytes of an address, a new array each time. */
export function addressBytes(key: AddressKey): Uint8Array {
  return textToBytes(key)
}

/** The address with 0x, in lower case. */
export function addressHex(key: AddressKey): `0x${string}` {
  return `0x${Buffer.from(key, 'latin1').toString('hex')}`
}

/**
 * The key of a storage slot.
 *
 * @param bytes - 32 of them
 * @throws {StateUsageError} on another length
 */
export function slotKey(bytes: Uint8Array): SlotKey {
  if (bytes.length !== SLOT_LENGTH) throw wrongLength('slot', SLOT_LENGTH, bytes.length)
  return bytesToText(bytes) as SlotKey
}

/**
 * The key of a storage slot.
 *
 * @param hex - 0x and 1 to 64 digits; missing ones are zeros in front
 * @throws {StateUsageError} on anything else
 */
export function slotKeyFromHex(hex: string): SlotKey {
  if (!/^0x[0-9a-f]{1,64}$/i.test(hex)) throw new StateUsageError(`not a slot: ${hex}`)
  return Buffer.from(hex.slice(2).padStart(64, '0'), 'hex').toString('latin1') as SlotKey
}

const word = new Uint8Array(SLOT_LENGTH)

/** The key of the storage slot with this number. @throws {StateUsageError} below 0 and from 2^256 on */
export function slotKeyFromBigInt(slot: bigint): SlotKey {
  if (slot < 0n || slot >= 1n << 256n) throw new StateUsageError(`not a slot: ${slot}`)
  writeWord(word, 0, slot)
  return bytesToText(word) as SlotKey
}

/** The 32 bytes of a slot's number, a new array each time. */
export function slotBytes(key: SlotKey): Uint8Array {
  return textToBytes(key)
}

/** The slot's number with 0x and 64 digits, in lower case. */
export function slotHex(key: SlotKey): `0x${string}` {
  return `0x${Buffer.from(key, 'latin1').toString('hex')}`
}

function wrongLength(what: string, expected: number, actual: number): StateUsageError {
  return new StateUsageError(`a ${what} key needs ${expected} bytes, got ${actual}`)
}
