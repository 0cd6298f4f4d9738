import { expect, test } from 'vitest'
import { bytesToBigInt, readWord, writeWord } from '../../../devnet/primitives/bytes.ts'
import { Random } from '../../support/random.ts'

const ones = (bits: number) => (1n << BigInt(bits)) - 1n

/** Numbers around each border between the pieces that words are read and written in. */
const numbers = [0n, 1n, 0x80n, 0xffn]
for (const bits of [32, 48, 56, 64, 128, 192, 255]) {
  numbers.push(ones(bits), 1n << BigInt(bits), (1n << BigInt(bits)) + 5n)
}
numbers.push(ones(256))

const digits = (value: bigint) => value.toString(16).padStart(64, '0')

test('words are written over what was there, and read back', () => {
  for (const value of numbers) {
    const bytes = new Uint8Array(96).fill(0xee)
    writeWord(bytes, 17, value)
    expect(Buffer.from(bytes.subarray(17, 49)).toString('hex')).toBe(digits(value))
    expect(bytes[16]).toBe(0xee)
    expect(bytes[49]).toBe(0xee)
    expect(readWord(bytes, 17)).toBe(value)
  }
})

test('pieces of a larger buffer, in turn', () => {
  const buffer = new Uint8Array(128)
  const [first, second] = [buffer.subarray(3, 67), buffer.subarray(67)]
  writeWord(first, 1, 5n)
  writeWord(second, 2, 6n)
  expect(readWord(first, 1)).toBe(5n)
  expect(readWord(second, 2)).toBe(6n)
  expect(readWord(buffer, 69)).toBe(6n)
})

test('numbers of up to 32 bytes', () => {
  const random = new Random(3)
  for (let length = 0; length <= 32; length++) {
    for (let run = 0; run < 5; run++) {
      const bytes = Uint8Array.from({ length }, () => random.below(256))
      const expected = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`)
      expect(bytesToBigInt(bytes)).toBe(expected)
    }
  }
})
