import { RLP } from '@ethereumjs/rlp'
import { expect, test } from 'vitest'
import {
  encodeRlp,
  encodeRlpList,
  encodeRlpString,
  RLP_LIST,
  type RlpInput,
  rlpLength,
  rlpStringLength,
  writeRlpHead,
} from '../../../devnet/primitives/rlp.ts'
import { decodeRlp } from '../../../devnet/primitives/rlpReader.ts'

test('strings as the library encodes them', () => {
  for (const length of [0, 1, 2, 54, 55, 56, 57, 255, 256, 257, 65_535, 65_536, 70_000]) {
    for (const byte of [0x00, 0x7f, 0x80, 0xff]) {
      const bytes = new Uint8Array(length).fill(byte)
      const encoded = encodeRlpString(bytes)
      expect(encoded).toEqual(RLP.encode(bytes))
      expect(rlpStringLength(bytes)).toBe(encoded.length)
    }
  }
})

test('heads of lists', () => {
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

test('lists of strings as the library encodes them', () => {
  const lists = [[], [0], [1, 1], [20, 32, 3], [54], [55], [56, 200], [300, 0, 70_000]]
  for (const lengths of lists) {
    const items = lengths.map((length) => new Uint8Array(length).fill(9))
    expect(encodeRlpList(items)).toEqual(RLP.encode(items))
  }
})

test('items of any depth as the library encodes them', () => {
  const long = new Uint8Array(60).fill(1)
  const items: readonly (readonly RlpInput[])[] = [
    [],
    [[]],
    [[], [[]], Uint8Array.of(0)],
    [long, [long, [Uint8Array.of(0x7f), Uint8Array.of(0x80)]], new Uint8Array(0)],
    [Array.from({ length: 300 }, () => [long, [long]])],
  ]
  for (const item of items) {
    // The library's type of a list is mutable; it does not change it.
    const expected = RLP.encode(item as unknown as Parameters<typeof RLP.encode>[0])
    expect(encodeRlp(item)).toEqual(expected)
    expect(rlpLength(item)).toBe(expected.length)
    expect(encodeRlp(item, 2)).toEqual(Uint8Array.of(2, ...expected))
    expect(decodeRlp(expected)).toEqual(item)
  }
})

test.each([
  ['nothing', [], 'is not valid RLP: it ends too early'],
  ['two items', [0x01, 0x02], 'is not valid RLP: bytes follow its end'],
  ['an item over the end of its list', [0xc2, 0x82, 0x01], /a part reaches over its end/],
  ['deep lists', lists(17), 'has too many lists inside one another'],
])('error: %s', (_, bytes, message) => {
  expect(() => decodeRlp(Uint8Array.from(bytes))).toThrow(message)
})

test('sixteen lists inside one another are read', () => {
  expect(decodeRlp(Uint8Array.from(lists(16)))).toEqual(
    Array.from({ length: 15 }).reduce((inner: RlpInput) => [inner], []),
  )
})

/** Lists that hold one list each, but for the innermost, which is empty. */
function lists(count: number): number[] {
  return Array.from({ length: count }, (_, index) => 0xc0 + count - 1 - index)
}
