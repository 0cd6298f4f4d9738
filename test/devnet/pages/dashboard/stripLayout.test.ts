import { describe, expect, test } from 'vitest'
import type { BlockGroup, StripTick } from '../../../../devnet/dashboard/groups.ts'
import { LANES, layOut } from '../../../../devnet/pages/dashboard/stripLayout.ts'

function tickOf(tick: number, fields: Partial<StripTick> = {}): StripTick {
  return {
    tick,
    transactions: 1,
    reverted: 0,
    gasUsed: 21_000,
    revertedGas: 0,
    seen: null,
    ...fields,
  }
}

function blockOf(number: number, ticks: readonly StripTick[], pending = false): BlockGroup {
  return {
    kind: 'block',
    number,
    hash: pending ? null : '0xaa',
    timestamp: 0,
    gasUsed: 15_000_000,
    gasLimit: 30_000_000,
    transactions: ticks.length,
    reverted: 0,
    ticks,
    earlierTicks: 0,
  }
}

/** The cells of all groups. */
function cellsOf(groups: Parameters<typeof layOut>[0]) {
  return layOut(groups).placed.flatMap((one) => (one.kind === 'block' ? one.cells : []))
}

describe('the picture', () => {
  test('groups stand side by side, 12 px apart, none under 84 px', () => {
    const ticks = Array.from({ length: 24 }, (_, index) => tickOf(index))
    const { placed, width } = layOut([
      blockOf(1, [tickOf(0)]),
      { kind: 'empty', from: 2, to: 9 },
      blockOf(10, ticks),
      blockOf(11, [], true),
    ])
    const [first, fold, wide, pending] = placed
    expect([first?.x, first?.width]).toEqual([0, 84])
    expect([fold?.x, fold?.width]).toEqual([96, 84])
    expect(wide?.x).toBe(192)
    expect(pending?.x).toBe(192 + (wide?.width ?? 0) + 12)
    expect(width).toBe((pending?.x ?? 0) + (pending?.width ?? 0))
  })

  test('cells are 12 px wide, 2 px apart, and lie in their block', () => {
    const { placed } = layOut([blockOf(1, [tickOf(0), tickOf(3), tickOf(4)])])
    const [block] = placed
    if (block?.kind !== 'block') throw new Error('There is no block')
    const lefts = block.cells.map(({ x }) => x)
    expect(lefts).toEqual([8, 22, 36])
    expect(lefts.every((x) => x >= block.x && x + 12 <= block.x + block.width)).toBe(true)
  })

  test('the height is 4 px and up to 78 px more, by the root of the gas', () => {
    const cells = cellsOf([
      blockOf(1, [tickOf(0, { gasUsed: 0 }), tickOf(1, { gasUsed: 25 })]),
      blockOf(2, [tickOf(0, { gasUsed: 100 })]),
    ])
    expect(cells.map(({ height }) => height)).toEqual([4, 43, 82])
    for (const { y, height } of cells) expect(y + height).toBe(LANES.ticks.top + LANES.ticks.height)
  })

  test('the share of gas that reverted is hatched', () => {
    const [cell] = cellsOf([blockOf(1, [tickOf(0, { gasUsed: 100, revertedGas: 25 })])])
    expect(cell?.hatched).toBe(82 / 4)
  })

  test('how many waited is unknown, not none, while no dashboard was open', () => {
    const seen = { elapsed: 4.6, waiting: 9, isLate: false }
    const { waiting } = layOut([
      blockOf(1, [tickOf(0), tickOf(1, { seen }), tickOf(2, { seen })]),
      blockOf(2, [tickOf(0), tickOf(1, { seen })]),
    ])
    expect(waiting.map(({ words }) => words)).toEqual(['9', '9'])
    expect(layOut([blockOf(1, [tickOf(0)])]).waiting).toEqual([])
  })

  test('one that waits is seen, beside none and beside many', () => {
    const seen = (waiting: number) => ({ elapsed: 1, waiting, isLate: false })
    const heightsOf = (...counts: number[]) => {
      const ticks = counts.map((one, tick) => tickOf(tick, { seen: seen(one) }))
      const [line] = layOut([blockOf(1, ticks)]).waiting
      return [...(line?.path ?? '').matchAll(/(?:M[\d.]+ |V)([\d.]+)/g)].map(([, y]) => Number(y))
    }
    const [none = 0, one = 0] = heightsOf(0, 1)
    expect(none - one).toBeGreaterThan(3)
    const [, few = 0, many = 0] = heightsOf(0, 5, 100_000)
    expect(many).toBeLessThan(few)
    expect(many).toBeGreaterThanOrEqual(LANES.waiting.top)
  })

  test('the words of a cell and a block say what the picture shows', () => {
    const late = { elapsed: 4.62, waiting: 0, isLate: true }
    const tick = tickOf(3, { transactions: 5, reverted: 1, gasUsed: 1_204_000, seen: late })
    const group = { ...blockOf(454, [tick], true), transactions: 5, reverted: 1 }
    const [block] = layOut([group]).placed
    expect(block?.label).toBe('Block 454, pending: 5 transactions, 1 reverted, 15,000,000 gas')
    expect(cellsOf([group])[0]?.label).toBe(
      'Tick 3 of block 454, pending: 5 transactions, 1 reverted, 1,204,000 gas, 4.6 ms, late',
    )
    const [fold] = layOut([{ kind: 'empty', from: 41, to: 452 }]).placed
    expect(fold?.label).toBe('Blocks 41 to 452: 412 empty blocks')
  })
})
