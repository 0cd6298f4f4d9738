import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BlockGroup, StripGroup } from '../../../../devnet/dashboard/groups.ts'
import {
  type HeldGroups,
  isFull,
  mergeGroups,
  prependGroups,
} from '../../../../devnet/pages/dashboard/stripGroups.ts'

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

function held(groups: readonly StripGroup[], older: number | null = null): HeldGroups {
  return { groups, older }
}

/** What was pushed, to a person who follows the chain. */
function merged(known: readonly StripGroup[], added: readonly StripGroup[], latest?: number) {
  return mergeGroups(held(known), added, false, latest).groups
}

function blocks(from: number, to: number, ticks = 1): readonly StripGroup[] {
  return Array.from({ length: to - from + 1 }, (_, index) => block(from + index, ticks))
}

describe('what was pushed', () => {
  test('takes the place of what it overlaps with', () => {
    const known = [block(1), empty(2, 4), block(5, 1, null)]
    const pushed = [block(5, 3), block(6, 1, null)]
    expect(merged(known, pushed)).toEqual([block(1), empty(2, 4), ...pushed])
  })

  test('neighbours without transactions become one', () => {
    const shown = merged([block(1), empty(2, 4)], [empty(5, 9), block(10, 0, null)])
    expect(shown).toEqual([block(1), empty(2, 9), block(10, 0, null)])
  })

  test('after a revert nothing above the head is left', () => {
    const known = [block(1), empty(2, 8), block(9), block(10, 1, null)]
    expect(merged(known, [block(6, 1, null)], 5)).toEqual([
      block(1),
      empty(2, 5),
      block(6, 1, null),
    ])
  })

  test('beyond 200 groups or 1,000 cells the oldest go, and older ones begin there', () => {
    const many = mergeGroups(held(blocks(0, 299)), [block(300)], false)
    expect(many).toEqual(held(blocks(101, 300), 101))
    const full = mergeGroups(held(blocks(0, 59, 24)), [], false)
    const first = 60 - Math.floor(1_000 / 24)
    expect(full).toEqual(held(blocks(first, 59, 24), first))
    // What is there already is not asked for again.
    expect(mergeGroups(held(blocks(5, 9), 5), [block(10)], false)).toEqual(held(blocks(5, 10), 5))
  })

  test('while a person looks at older ones, they stay', () => {
    const shown = mergeGroups(held(blocks(100, 499), 100), [block(500)], true)
    expect(shown).toEqual(held(blocks(100, 500), 100))
    expect(mergeGroups(held(blocks(0, 699)), [block(700)], true)).toEqual(
      held(blocks(101, 700), 101),
    )
  })

  test('more than one push has leaves no gap', () => {
    const shown = mergeGroups(held(blocks(1, 5)), blocks(210, 409), false)
    expect(shown).toEqual(held(blocks(210, 409), 210))
  })

  test('property: blocks stand once and in order, whatever is pushed', () => {
    const pushes = fc.array(
      fc.record({ sealed: fc.array(fc.boolean(), { maxLength: 5 }), back: fc.nat(4) }),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(pushes, (list) => {
        let head = 0
        let shown = held([block(0, 1, null)])
        for (const { sealed, back } of list) {
          const latest = Math.max(0, head - back)
          const isUndo = back > 0 && latest < head
          if (isUndo) head = latest
          const added = sealed.map((hasAny, index) =>
            hasAny ? block(head + index) : empty(head + index, head + index),
          )
          head += sealed.length
          shown = mergeGroups(
            shown,
            [...added, block(head, 0, null)],
            false,
            isUndo ? latest - 1 : undefined,
          )
          const all = numbers(shown.groups)
          expect(all).toEqual(Array.from({ length: all.length }, (_, i) => (all[0] ?? 0) + i))
          expect(all.at(-1)).toBe(head)
        }
      }),
    )
  })
})

describe('older groups', () => {
  test('are put in front, without those that are there', () => {
    const page = held([block(3), empty(4, 4), block(5)], 3)
    expect(prependGroups(held([block(5)], 5), page)).toEqual(
      held([block(3), empty(4, 4), block(5)], 3),
    )
  })

  test('that do not reach to those that are there any more are not taken', () => {
    const now = held(blocks(50, 60), 50)
    expect(prependGroups(now, held(blocks(1, 9), 1))).toBe(now)
  })

  test('their number has an end', () => {
    let all = held(blocks(10_000, 10_199), 10_000)
    let pages = 0
    while (!isFull(all)) {
      const from = (all.older ?? 0) - 60
      all = prependGroups(all, held(blocks(from, (all.older ?? 0) - 1), from))
      pages += 1
    }
    expect(pages).toBe(7)
    // The next push throws none of the last page away that is in view.
    const kept = mergeGroups(all, [block(10_200)], true)
    expect(numbers(kept.groups)[0]).toBeLessThan((all.older ?? 0) + 60)
  })
})
