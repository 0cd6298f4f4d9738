import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

const NARROW = matchMedia('(max-width: 719px)')
const isNarrow = signal(NARROW.matches)
NARROW.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches
})

/** Heights in px, as in the style sheet: on a narrow page each row has two lines. */
const ROW_HEIGHT = 36
const NARROW_ROW_HEIGHT = 56
/** Rows above and below those in view, so that scrolling shows no gap. */
const OVERSCAN = 5

/** px that a browser takes as the height of a list; Firefox ends at 17,895,698. */
const MAX_HEIGHT = 14_400_000

/** The body of a table of any length, which scrolls with the page: only rows in view are there. */
export function VirtualRows({ count, row, onRange }: VirtualRowsProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  const height = isNarrow.value ? NARROW_ROW_HEIGHT : ROW_HEIGHT
  const [[first, end], setRange] = useState<readonly [number, number]>([0, 0])
  const look = () => {
    const top = body.current?.getBoundingClientRect().top ?? 0
    const from = Math.floor(-top / height) - OVERSCAN
    const to = Math.ceil((innerHeight - top) / height) + OVERSCAN
    const next = [within(from, count), within(to, count)] as const
    setRange((range) => (range[0] === next[0] && range[1] === next[1] ? range : next))
  }
  // Each time: the list moves with what stands above it, too.
  useLayoutEffect(() => {
    look()
    for (const each of body.current?.rows ?? []) oneStop(each)
  })
  useEffect(() => {
    addEventListener('scroll', look, { passive: true })
    addEventListener('resize', look)
    return () => {
      removeEventListener('scroll', look)
      removeEventListener('resize', look)
    }
  }, [count, height])
  useEffect(() => onRange(first, end - 1), [first, end, count])

  return (
    <tbody ref={body} class="rows" style={{ height: `${count * height}px` }}>
      {Array.from({ length: Math.min(end, count) - first }, (_, index) =>
        row(first + index, (first + index) * height),
      )}
    </tbody>
  )
}

function within(index: number, count: number): number {
  return Math.min(count, Math.max(0, index))
}

/**
 * Leaves one stop for Tab in a row: its first link. The keys `j`, `k` and arrows lead from row to
 * row, `c` copies the hash, and what else a row links to stands on the page that it opens.
 */
function oneStop(row: HTMLTableRowElement): void {
  for (const [index, each] of row.querySelectorAll<HTMLElement>('a, button').entries()) {
    each.tabIndex = index === 0 ? 0 : -1
  }
}

/** Maximum number of rows of one list. */
export function maxRows(): number {
  return Math.floor(MAX_HEIGHT / (isNarrow.value ? NARROW_ROW_HEIGHT : ROW_HEIGHT))
}

interface VirtualRowsProps {
  readonly count: number
  /** A `<tr>` of class `row`, with the given `top` in px. */
  readonly row: (index: number, top: number) => ComponentChildren
  /** Called with the first and last rows in view, whenever they change. */
  readonly onRange: (first: number, last: number) => void
}
