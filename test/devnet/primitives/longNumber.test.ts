import { expect, test } from 'vitest'
import {
  readableNumber,
  withExponent,
  withSeparators,
} from '../../../devnet/primitives/longNumber.ts'

test.each([
  ['7000000000000000000', '7e18'],
  ['125000000000000000', '1.25e17'],
  ['-40000000000', '-4e10'],
  ['1204000', '1,204,000'],
  ['123456789012345678901', '123,456,789,012,345,678,901'],
  ['101', '101'],
  ['"7000000000000000000"', '"7000000000000000000"'],
  ['0x7000000000000000000', '0x7000000000000000000'],
  ['0', '0'],
])('readableNumber: %s', (text, shown) => {
  expect(readableNumber(text)).toBe(shown)
})

test('withExponent: only with few digits and many zeros', () => {
  expect(withExponent('1000000')).toBeUndefined()
  expect(withExponent('12345670000000000')).toBeUndefined()
  expect(withExponent('0')).toBeUndefined()
})

test('withSeparators: all digits stay', () => {
  expect(withSeparators(`1${'0'.repeat(30)}`).replaceAll(',', '')).toBe(`1${'0'.repeat(30)}`)
})
