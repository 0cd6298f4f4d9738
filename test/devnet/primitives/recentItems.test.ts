import { describe, expect, test } from 'vitest'
import { RecentItems } from '../../../devnet/primitives/recentItems.ts'
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

  test('behavior: others that take its place are never mistaken for it', () => {
    const { items, made } = counted()
    const random = new Random(7)
    for (let count = 0; count < 20_000; count++) {
      const bytes = Uint8Array.from({ length: random.below(3) * 16 + 4 }, () => random.below(4))
      expect(items.of(bytes).bytes).toEqual(bytes)
    }
    expect(made.length).toBeLessThan(20_000)
  })
})
