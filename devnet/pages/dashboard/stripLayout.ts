import type { BlockGroup, EmptyGroup, StripGroup, StripTick } from '../../dashboard/groups.ts'
import { count, plural } from '../kit/shownValue.ts'

/** Sizes of the picture in px: three lanes, one above the other. */
export const LANES = {
  waiting: { top: 0, height: 36 },
  ticks: { top: 44, height: 92 },
  blocks: { top: 144, height: 56 },
} as const
export const HEIGHT = 208
/** Width of a tick, and distance from one tick to the next. */
export const CELL_WIDTH = 12
const CELL_STEP = 14
const GROUP_GAP = 12
const NARROWEST_GROUP = 84
/** Width of the pending block: with room for the words about the seal. */
const NARROWEST_PENDING = 124
const FOLD_WIDTH = 84
/** Between a group's edge and its cells. */
const PADDING = 8

export type PlacedBlock = ReturnType<typeof placeBlock>
export type PlacedFold = ReturnType<typeof placeFold>

export type StripLayout = ReturnType<typeof layOut>

interface WaitingLine {
  readonly path: string
  /** Of the words, which are the last number. */
  readonly x: number
  readonly y: number
  readonly words: string
}

/** Places the groups side by side, oldest at the left. */
export function layOut(groups: readonly StripGroup[]) {
  const all = groups.flatMap((group) => (group.kind === 'block' ? group.ticks : []))
  const placed: (PlacedBlock | PlacedFold)[] = []
  const lines = new StepLines(Math.max(...all.map(({ seen }) => seen?.waiting ?? 0), LEAST_SCALE))
  const largest = Math.max(1, ...all.map(({ gasUsed }) => gasUsed))
  let x = 0
  for (const group of groups) {
    if (x > 0) x += GROUP_GAP
    if (group.kind === 'empty') {
      placed.push(placeFold(group, x))
      lines.end()
      x += FOLD_WIDTH
    } else {
      const block = placeBlock(group, x, largest)
      placed.push(block)
      for (const { x: left, tick } of block.cells) lines.add(left, tick.seen?.waiting)
      x += block.width
    }
  }
  return {
    placed,
    width: x,
    /** Number that waited after each tick; a new line begins wherever that is unknown. */
    waiting: lines.done(),
  }
}

function placeFold(group: EmptyGroup, x: number) {
  const kind = 'empty' as const
  return { kind, key: `e${group.from}`, x, width: FOLD_WIDTH, group, label: foldLabel(group) }
}

function placeBlock(group: BlockGroup, x: number, largest: number) {
  const isPending = group.hash === null
  const columns = group.ticks.length + (group.earlierTicks > 0 ? FOLDED_COLUMNS : 0)
  const room = columns * CELL_STEP - (CELL_STEP - CELL_WIDTH) + 2 * PADDING
  const width = Math.max(isPending ? NARROWEST_PENDING : NARROWEST_GROUP, room)
  const start = x + PADDING + (group.earlierTicks > 0 ? FOLDED_COLUMNS * CELL_STEP : 0)
  const bottom = LANES.ticks.top + LANES.ticks.height
  const cells = group.ticks.map((tick, index) => {
    const height = 4 + 78 * Math.sqrt(tick.gasUsed / largest)
    const share = tick.gasUsed === 0 ? 0 : tick.revertedGas / tick.gasUsed
    return {
      key: `${group.number}.${tick.tick}`,
      x: start + index * CELL_STEP,
      y: bottom - height,
      height,
      /** Of the part that reverted, from the bottom. */
      hatched: share * height,
      isLate: tick.seen?.isLate === true,
      label: tickLabel(group, tick),
      tick,
    }
  })
  return {
    kind: 'block' as const,
    key: `b${group.number}`,
    x,
    width,
    group,
    isPending,
    cells,
    /** Width of the bar of gas. */
    used: (width - 12) * Math.min(1, group.gasUsed / Math.max(1, group.gasLimit)),
    label: blockLabel(group),
  }
}

/** Room of the words `+37 ticks`, in cells. */
const FOLDED_COLUMNS = 5

/** Waiting transactions that reach the top of the lane, at least. */
const LEAST_SCALE = 10

/** A line of steps for each run of ticks after which it is known how many waited. */
class StepLines {
  readonly #largest: number
  readonly #lines: WaitingLine[] = []
  #line = ''
  #last = { x: 0, y: 0, waiting: 0 }

  /** @param largest - number that reaches the top of the lane */
  constructor(largest: number) {
    this.#largest = largest
  }

  add(x: number, waiting: number | undefined): void {
    if (waiting === undefined) {
      this.end()
      return
    }
    const { top, height } = LANES.waiting
    const share = Math.log10(1 + waiting) / Math.log10(1 + this.#largest)
    const y = top + height - 1 - (height - 14) * share
    this.#line += this.#line === '' ? `M${x} ${y}` : `V${y}`
    this.#line += `H${x + CELL_STEP}`
    this.#last = { x: x + CELL_STEP, y, waiting }
  }

  end(): void {
    const { x, y, waiting } = this.#last
    if (this.#line !== '') {
      this.#lines.push({ path: this.#line, x: x - 2, y: y - 4, words: count(waiting) })
    }
    this.#line = ''
  }

  done(): readonly WaitingLine[] {
    this.end()
    return this.#lines
  }
}

function foldLabel({ from, to }: EmptyGroup): string {
  return from === to
    ? `Block ${from}: empty`
    : `Blocks ${from} to ${to}: ${count(to - from + 1)} empty blocks`
}

function blockLabel({ number, hash, transactions, reverted, gasUsed }: BlockGroup): string {
  const failed = reverted === 0 ? '' : `, ${count(reverted)} reverted`
  const state = hash === null ? 'pending' : 'sealed'
  return `Block ${number}, ${state}: ${plural(transactions, 'transaction')}${failed}, ${count(gasUsed)} gas`
}

function tickLabel({ number, hash }: BlockGroup, tick: StripTick): string {
  const parts = [
    plural(tick.transactions, 'transaction'),
    ...(tick.reverted === 0 ? [] : [`${count(tick.reverted)} reverted`]),
    `${count(tick.gasUsed)} gas`,
    ...(tick.seen === null ? [] : [`${tick.seen.elapsed.toFixed(1)} ms`]),
    ...(tick.seen?.isLate === true ? ['late'] : []),
  ]
  return `Tick ${tick.tick} of block ${number}${hash === null ? ', pending' : ''}: ${parts.join(', ')}`
}
