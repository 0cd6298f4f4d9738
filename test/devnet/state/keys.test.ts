import { expect, test } from 'vitest'
import { textToBytes } from '../../../devnet/primitives/bytes.ts'
import { StateUsageError } from '../../../devnet/primitives/errors.ts'
import {
  addressHex,
  addressKey,
  addressKeyFromHex,
  slotHex,
  slotKey,
  slotKeyFromBigInt,
  slotKeyFromHex,
} from '../../../devnet/state/keys.ts'

/** Every byte value that a key can hold, also those that other encodings treat in a special way. */
const bytesFrom = (first: number, length: number) =>
  Uint8Array.from({ length }, (_, index) => (first + index) & 0xff)

test('bytes to key and back, for all byte values', () => {
  for (let first = 0; first < 256; first++) {
    const address = bytesFrom(first, 20)
    const slot = bytesFrom(first, 32)
    expect(textToBytes(addressKey(address))).toEqual(address)
    expect(textToBytes(slotKey(slot))).toEqual(slot)
    expect(addressHex(addressKey(address))).toBe(`0x${Buffer.from(address).toString('hex')}`)
    expect(slotHex(slotKey(slot))).toBe(`0x${Buffer.from(slot).toString('hex')}`)
  }
})

test('one key, wherever it comes from', () => {
  const address = bytesFrom(0x71, 20)
  const hex = `0x${Buffer.from(address).toString('hex')}`
  expect(addressKeyFromHex(hex)).toBe(addressKey(address))
  expect(addressKeyFromHex(hex.toUpperCase().replace('0X', '0x'))).toBe(addressKey(address))
  const slot = new Uint8Array(32)
  slot[31] = 0x0a
  slot[30] = 0x01
  expect(slotKeyFromHex('0x10a')).toBe(slotKey(slot))
  expect(slotKeyFromHex(`0x${'0'.repeat(61)}10A`)).toBe(slotKey(slot))
  expect(slotKeyFromBigInt(0x10an)).toBe(slotKey(slot))
})

test('a key of a view on a larger array', () => {
  const large = bytesFrom(3, 100)
  expect(addressKey(large.subarray(10, 30))).toBe(addressKey(large.slice(10, 30)))
})

test.each([
  () => addressKey(new Uint8Array(19)),
  () => addressKey(new Uint8Array(32)),
  () => slotKey(new Uint8Array(31)),
  () => addressKeyFromHex('0x00'),
  () => addressKeyFromHex('00'.repeat(20)),
  () => addressKeyFromHex(`0x${'0g'.repeat(20)}`),
  () => slotKeyFromHex('0x'),
  () => slotKeyFromHex(`0x${'0'.repeat(65)}`),
  () => slotKeyFromBigInt(-1n),
  () => slotKeyFromBigInt(2n ** 256n),
])('wrong length or form, %s', (make) => {
  expect(make).toThrow(StateUsageError)
})
