import { RLP } from '@ethereumjs/rlp'
import { expect, test } from 'vitest'
import {
  encodeRlpList,
  encodeRlpString,
  RLP_LIST,
  rlpStringLength,
  writeRlpHead,
} from '../../../devnet/primitives/rlp.ts'

test('behavior: strings as the library encodes them', () => {
  for (const length of [0, 1, 2, 54, 55, 56, 57, 255, 256, 257, 65_535, 65_536, 70_000]) {
    for (const byte of [0x00, 0x7f, 0x80, 0xff]) {
      const bytes = new Uint8Array(length).fill(byte)
      const encoded = encodeRlpString(bytes)
      expect(encoded).toEqual(RLP.encode(bytes))
      expect(rlpStringLength(bytes)).toBe(encoded.length)
    }
  }
})

test('behavior: heads of lists', () => {
  for (const length of [0, 1, 55, 56, 255, 256, 65_536, 20_000_000]) {
    const target = new Uint8Array(9)
    const end = writeRlpHead(target, 0, RLP_LIST, length)
    // A list of `length` one-byte items.
    const expected = RLP.encode(
      Array.from({ length: Math.min(length, 70_000) }, () => Uint8Array.of(1)),
    )
    if (length <= 70_000) expect(target.slice(0, end)).toEqual(expected.slice(0, end))
    else expect([...target.slice(0, end)]).toEqual([0xfb, 0x01, 0x31, 0x2d, 0x00])
  }
})

test('behavior: lists of strings as the library encodes them', () => {
  const lists = [[], [0], [1, 1], [20, 32, 3], [54], [55], [56, 200], [300, 0, 70_000]]
  for (const lengths of lists) {
    const items = lengths.map((length) => new Uint8Array(length).fill(9))
    expect(encodeRlpList(items)).toEqual(RLP.encode(items))
  }
})
