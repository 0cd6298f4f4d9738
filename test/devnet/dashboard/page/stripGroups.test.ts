import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BlockGroup, StripGroup } from '../../../../devnet/dashboard/api.ts'
import { mergeGroups, prependGroups } from '../../../../devnet/dashboard/page/stripGroups.ts'

function block(number: number, ticks = 1, hash: BlockGroup['hash'] = '0xaa'): BlockGroup {
  const tick = { transactions: 1, reverted: 0, gasUsed: 21_000, revertedGas: 0, seen: null }
  return {
    kind: 'block',
    number,
    hash,
    timestamp: number,
    gasUsed: 21_000,
    gasLimit: 30_000_000,
    transactions: ticks,
    reverted: 0,
    ticks: Array.from({ length: ticks }, (_, index) => ({ ...tick, tick: index })),
    earlierTicks: 0,
  }
}

function empty(from: number, to: number): StripGroup {
  return { kind: 'empty', from, to }
}

/** Every block of the groups, in order. */
function numbers(groups: readonly StripGroup[]): number[] {
  return groups.flatMap((group) =>
    group.kind === 'block'
      ? [group.number]
      : Array.from({ length: group.to - group.from + 1 }, (_, index) => group.from + index),
  )
}

describe('what was pushed', () => {
  test('behavior: takes the place of what it overlaps with', () => {
    const known = [block(1), empty(2, 4), block(5, 1, null)]
    const pushed = [block(5, 3), block(6, 1, null)]
    expect(mergeGroups(known, pushed)).toEqual([block(1), empty(2, 4), ...pushed])
  })

  test('behavior: neighbours without transactions become one', () => {
    const merged = mergeGroups([block(1), empty(2, 4)], [empty(5, 9), block(10, 0, null)])
    expect(merged).toEqual([block(1), empty(2, 9), block(10, 0, null)])
  })

  test('behavior: after a revert nothing above the head is left', () => {
    const known = [block(1), empty(2, 8), block(9), block(10, 1, null)]
    expect(mergeGroups(known, [block(6, 1, null)], 5)).toEqual([
      block(1),
      empty(2, 5),
      block(6, 1, null),
    ])
  })

  test('behavior: the oldest go beyond 200 groups or 1,000 cells', () => {
    const many = Array.from({ length: 300 }, (_, index) => block(index))
    expect(mergeGroups(many, [block(300)])).toEqual([...many.slice(101), block(300)])
    const full = Array.from({ length: 60 }, (_, index) => block(index, 24))
    expect(mergeGroups(full, [])).toEqual(full.slice(60 - Math.floor(1_000 / 24)))
  })

  test('property: blocks stand once and in order, whatever is pushed', () => {
    const pushes = fc.array(
      fc.record({ sealed: fc.array(fc.boolean(), { maxLength: 5 }), back: fc.nat(4) }),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(pushes, (list) => {
        let head = 0
        let groups: readonly StripGroup[] = [block(0, 1, null)]
        for (const { sealed, back } of list) {
          const latest = Math.max(0, head - back)
          const isUndo = back > 0 && latest < head
          if (isUndo) head = latest
          const added = sealed.map((hasAny, index) =>
            hasAny ? block(head + index) : empty(head + index, head + index),
          )
          head += sealed.length
          groups = mergeGroups(
            groups,
            [...added, block(head, 0, null)],
            isUndo ? latest - 1 : undefined,
          )
          const shown = numbers(groups)
          expect(shown).toEqual(Array.from({ length: shown.length }, (_, i) => (shown[0] ?? 0) + i))
          expect(shown.at(-1)).toBe(head)
        }
      }),
    )
  })
})

test('behavior: older groups are put in front, without those that are there', () => {
  expect(prependGroups([block(5)], [block(3), empty(4, 4), block(5)])).toEqual([
    block(3),
    empty(4, 4),
    block(5),
  ])
})
