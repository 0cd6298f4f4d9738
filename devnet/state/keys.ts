import { bytesToText, writeWord } from '../primitives/bytes.ts'
import { StateUsageError } from '../primitives/errors.ts'
import type { Hex } from '../primitives/hex.ts'
import type { AddressKey, SlotKey } from './types.ts'

// Keys are made by the casts of this file alone, each after a check of the length.

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

/** The address, lower case. */
export function addressHex(key: AddressKey): Hex {
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
 * @param hex - 0x and 1 to 64 digits; shorter ones are padded with zeros in front
 * @throws {StateUsageError} on anything else
 */
export function slotKeyFromHex(hex: string): SlotKey {
  if (!/^0x[0-9a-f]{1,64}$/i.test(hex)) throw new StateUsageError(`not a slot: ${hex}`)
  return Buffer.from(hex.slice(2).padStart(64, '0'), 'hex').toString('latin1') as SlotKey
}

/** Reused, because every SLOAD and SSTORE makes a key; the key copies it. */
const scratch = new Uint8Array(SLOT_LENGTH)

/** The key of a storage slot. @throws {StateUsageError} on numbers below 0 or above 2^256 - 1 */
export function slotKeyFromBigInt(slot: bigint): SlotKey {
  if (slot < 0n || slot >= 1n << 256n) throw new StateUsageError(`not a slot: ${slot}`)
  writeWord(scratch, 0, slot)
  return bytesToText(scratch) as SlotKey
}

/** The number of the slot: 64 digits, lower case. */
export function slotHex(key: SlotKey): Hex {
  return `0x${Buffer.from(key, 'latin1').toString('hex')}`
}

function wrongLength(what: string, expected: number, actual: number): StateUsageError {
  return new StateUsageError(`a ${what} key needs ${expected} bytes, got ${actual}`)
}
