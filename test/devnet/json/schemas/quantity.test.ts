import { describe, expect, test } from 'vitest'
import {
  quantity,
  quantity64,
  quantity64OrNumber,
  quantityOrNumber,
} from '../../../../devnet/json/params.ts'
import { read } from './support.ts'

describe('quantity', () => {
  test.each([
    ['0x0', 0n],
    ['0x1f', 31n],
    ['0X1F', 31n],
    ['0x0001', 1n],
    [`0x${'f'.repeat(64)}`, 2n ** 256n - 1n],
    [`0x${'0'.repeat(100)}1`, 1n],
    [`0x1${'0'.repeat(64)}`, 'invalid argument 0: hex number > 256 bits'],
    ['', 'invalid argument 0: empty hex string'],
    ['0x', 'invalid argument 0: hex string "0x"'],
    ['12', 'invalid argument 0: hex string without 0x prefix'],
    ['-0x1', 'invalid argument 0: hex string without 0x prefix'],
    ['0x-1', 'invalid argument 0: invalid hex string'],
    ['0x1.5', 'invalid argument 0: invalid hex string'],
    ['0x1 ', 'invalid argument 0: invalid hex string'],
    [12, 'invalid argument 0: want a hex number, got a number'],
    [12n, 'invalid argument 0: want a hex number, got a bigint'],
  ])('%s', (value, expected) => {
    expect(read(quantity(), value)).toBe(expected)
  })
})

test('quantity64', () => {
  expect(read(quantity64(), `0x${'f'.repeat(16)}`)).toBe(2n ** 64n - 1n)
  expect(read(quantity64(), `0x1${'0'.repeat(16)}`)).toBe(
    'invalid argument 0: hex number > 64 bits',
  )
})

describe('quantityOrNumber', () => {
  test.each([
    [0, 0n],
    [Number.MAX_SAFE_INTEGER, BigInt(Number.MAX_SAFE_INTEGER)],
    ['0x10', 16n],
    ['16', 'invalid argument 0: hex string without 0x prefix'],
    [-1, 'invalid argument 0: want an integer from 0 to 9007199254740991, got -1'],
    [1.5, 'invalid argument 0: want an integer from 0 to 9007199254740991, got 1.5'],
    [
      JSON.parse('1e400'),
      'invalid argument 0: want an integer from 0 to 9007199254740991, got Infinity',
    ],
  ])('%s', (value, expected) => {
    expect(read(quantityOrNumber(), value)).toBe(expected)
  })

  test('args: 64 bits', () => {
    expect(read(quantity64OrNumber(), 7)).toBe(7n)
    expect(read(quantity64OrNumber(), `0x1${'0'.repeat(16)}`)).toBe(
      'invalid argument 0: hex number > 64 bits',
    )
  })
})
