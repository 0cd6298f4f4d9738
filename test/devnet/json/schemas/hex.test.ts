import { describe, expect, test } from 'vitest'
import { address, data, hash32, storageSlot } from '../../../../devnet/json/params.ts'
import { read } from './support.ts'

describe('address', () => {
  test.each([
    [`0x${'ab'.repeat(20)}`, `0x${'ab'.repeat(20)}`],
    // The checksum of neither would hold.
    [`0x${'aB'.repeat(20)}`, `0x${'ab'.repeat(20)}`],
    [`0X${'AB'.repeat(20)}`, `0x${'ab'.repeat(20)}`],
    [1, 'invalid argument 0: want an address, got a number'],
    [['0x'], 'invalid argument 0: want an address, got a list'],
    ['', 'invalid argument 0: hex string without 0x prefix'],
    ['ab'.repeat(20), 'invalid argument 0: hex string without 0x prefix'],
    ['0x', 'invalid argument 0: hex string has length 0, want 40 for an address'],
    [
      `0x${'ab'.repeat(21)}`,
      'invalid argument 0: hex string has length 42, want 40 for an address',
    ],
    [`0x${'ab'.repeat(19)}zz`, 'invalid argument 0: invalid hex string'],
    [`0x${'ab'.repeat(19)}\n\n`, 'invalid argument 0: invalid hex string'],
  ])('%j', (value, expected) => {
    expect(read(address(), value)).toBe(expected)
  })
})

describe('hash32', () => {
  test.each([
    [`0x${'Ab'.repeat(32)}`, `0x${'ab'.repeat(32)}`],
    [`0x${'ab'.repeat(31)}`, 'invalid argument 0: hex string has length 62, want 64 for a hash'],
    [{}, 'invalid argument 0: want a hash, got an object'],
  ])('%j', (value, expected) => {
    expect(read(hash32(), value)).toBe(expected)
  })
})

describe('data', () => {
  test.each([
    ['0x', '0x'],
    ['0xABcd', '0xABcd'],
    ['0Xab', '0xab'],
    ['0xabc', 'invalid argument 0: hex string of odd length'],
    ['0xzz', 'invalid argument 0: invalid hex string'],
    ['abcd', 'invalid argument 0: hex string without 0x prefix'],
    [true, 'invalid argument 0: want hex data, got a boolean'],
  ])('%j', (value, expected) => {
    expect(read(data(), value)).toBe(expected)
  })

  test('args: limit', () => {
    expect(read(data(2), '0x1234')).toBe('0x1234')
    expect(read(data(2), '0x123456')).toBe('invalid argument 0: data has 3 bytes, want at most 2')
  })
})

describe('storageSlot', () => {
  test.each([
    ['0x0', `0x${'00'.repeat(32)}`],
    ['0x1F', `0x${'00'.repeat(31)}1f`],
    ['0x001', `0x${'00'.repeat(31)}01`],
    [`0x${'Ab'.repeat(32)}`, `0x${'ab'.repeat(32)}`],
    ['0x', 'invalid argument 0: hex string "0x"'],
    [
      `0x0${'ab'.repeat(32)}`,
      'invalid argument 0: hex string has length 65, want at most 64 for a storage slot',
    ],
    ['12', 'invalid argument 0: hex string without 0x prefix'],
    [12, 'invalid argument 0: want a storage slot, got a number'],
  ])('%j', (value, expected) => {
    expect(read(storageSlot(), value)).toBe(expected)
  })
})
