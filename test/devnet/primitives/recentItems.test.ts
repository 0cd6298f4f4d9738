import { describe, expect, test } from 'vitest'
import { PooledCopies, RecentItems, recentNumber } from '../../../devnet/primitives/recentItems.ts'
import { Random } from '../../support/random.ts'

function counted() {
  const made: Uint8Array[] = []
  const items = new RecentItems((source, at, length) => {
    const bytes = source.slice(at, at + length)
    made.push(bytes)
    return { bytes }
  })
  return { items, made }
}

describe('RecentItems', () => {
  test('default: the same bytes have the same item', () => {
    const { items, made } = counted()
    const first = items.of(Uint8Array.of(1, 2, 3))
    expect(items.of(Uint8Array.of(1, 2, 3))).toBe(first)
    expect(items.of(first.bytes)).toBe(first)
    expect(made).toEqual([Uint8Array.of(1, 2, 3)])
  })

  test('args: a part of an array', () => {
    const { items } = counted()
    const first = items.of(Uint8Array.of(9, 1, 2, 3, 9), 1, 3)
    expect(first.bytes).toEqual(Uint8Array.of(1, 2, 3))
    expect(items.of(Uint8Array.of(1, 2, 3))).toBe(first)
    expect(items.of(Uint8Array.of(1, 2, 3, 9), 0, 4)).not.toBe(first)
    expect(items.of(Uint8Array.of(), 0, 0).bytes).toEqual(Uint8Array.of())
  })

  test('others that take its place are never mistaken for it', () => {
    const { items, made } = counted()
    const random = new Random(7)
    for (let count = 0; count < 20_000; count++) {
      const bytes = Uint8Array.from({ length: random.below(3) * 16 + 4 }, () => random.below(4))
      expect(items.of(bytes).bytes).toEqual(bytes)
    }
    expect(made.length).toBeLessThan(20_000)
  })
})

test('recentNumber: always the same number, small, large and in turn', () => {
  for (const number of [0n, 251n, 21_000n, 2n ** 256n - 1n, 251n, 502n, 0n]) {
    expect(recentNumber(number)).toBe(number)
  }
})

describe('PooledCopies', () => {
  test('default: copies of what the source holds at that time', () => {
    const copies = new PooledCopies()
    const source = Uint8Array.of(9, 1, 2, 3, 9)
    const copy = copies.of(source, 1, 3)
    source.fill(0)
    expect(copy).toEqual(Uint8Array.of(1, 2, 3))
    expect(copies.of(source, 0, 0)).toEqual(Uint8Array.of())
  })

  test('no copy overlaps another, across pools, and long ones have arrays of their own', () => {
    const copies = new PooledCopies()
    const random = new Random(11)
    const made = Array.from({ length: 2_000 }, () => {
      const wanted = Uint8Array.from({ length: random.below(300) }, () => random.below(256))
      return { wanted, copy: copies.of(wanted, 0, wanted.length) }
    })
    for (const { wanted, copy } of made) expect(copy).toEqual(wanted)
    expect(copies.of(new Uint8Array(300), 0, 300).buffer.byteLength).toBe(300)
  })
})
