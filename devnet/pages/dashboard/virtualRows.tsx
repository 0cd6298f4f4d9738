import { signal } from '@preact/signals'
import {
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  type VirtualizerOptions,
  windowScroll,
} from '@tanstack/virtual-core'
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
  const [margin, setMargin] = useState(0)
  const [, redraw] = useState(0)
  const height = isNarrow.value ? NARROW_ROW_HEIGHT : ROW_HEIGHT
  const options: VirtualizerOptions<Window, HTMLElement> = {
    count,
    getScrollElement: () => window,
    estimateSize: () => height,
    overscan: OVERSCAN,
    scrollMargin: margin,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    onChange: () => redraw((times) => times + 1),
  }
  const [virtualizer] = useState(() => new Virtualizer(options))
  virtualizer.setOptions(options)
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer])
  useLayoutEffect(() => {
    const top = body.current?.getBoundingClientRect().top ?? 0
    const next = Math.round(top + window.scrollY)
    if (next !== margin) setMargin(next)
    virtualizer._willUpdate()
  })
  useLayoutEffect(() => virtualizer.measure(), [height])

  const items = virtualizer.getVirtualItems()
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? -1]
  useEffect(() => onRange(first, last), [first, last, count])
  return (
    <tbody ref={body} class="rows" style={{ height: `${virtualizer.getTotalSize()}px` }}>
      {items.map(({ index, start }) => row(index, start - margin))}
    </tbody>
  )
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
