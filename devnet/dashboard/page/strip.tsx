import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { links } from './router.ts'
import { count, duration, plural } from './shownValue.ts'
import {
  call,
  chainTime,
  failure,
  GROUPS_A_PAGE,
  groups,
  olderGroups,
  status,
  undoneTo,
} from './store.ts'
import { prependGroups } from './stripGroups.ts'
import {
  CELL_WIDTH,
  HEIGHT,
  LANES,
  layOut,
  type PlacedBlock,
  type PlacedFold,
} from './stripLayout.ts'

interface Tip {
  readonly text: string
  readonly x: number
  readonly y: number
}

/** px from the right end within which the newest group counts as in view. */
const NEAR = 24

/** The picture of ticks and seals, newest at the right; the same data stands below as tables. */
export function Strip() {
  const list = groups.value
  const layout = useMemo(() => layOut(list), [list])
  const scroller = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const [missed, setMissed] = useState(0)
  const [tip, setTip] = useState<Tip | undefined>(undefined)
  const newest = list.at(-1)
  const newestNumber =
    newest === undefined ? 0 : newest.kind === 'block' ? newest.number : newest.to
  const seenNumber = useRef(newestNumber)
  const oldWidth = useRef(0)

  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    if (isAtEnd.current) {
      element.scrollLeft = element.scrollWidth
      seenNumber.current = newestNumber
      setMissed(0)
    } else setMissed(Math.max(0, newestNumber - seenNumber.current))
  }, [layout, newestNumber])

  async function showOlder(): Promise<void> {
    const before = olderGroups.peek()
    if (before === null) return
    olderGroups.value = null
    oldWidth.current = scroller.current?.scrollWidth ?? 0
    try {
      const older = await call('strip', { before, limit: GROUPS_A_PAGE })
      groups.value = prependGroups(groups.peek(), older.groups)
      olderGroups.value = older.next
      // What was in view stays there.
      requestAnimationFrame(() => {
        const element = scroller.current
        if (element !== null) element.scrollLeft += element.scrollWidth - oldWidth.current
      })
    } catch (error) {
      olderGroups.value = before
      failure.value = error instanceof Error ? error.message : String(error)
    }
  }

  function onScroll(): void {
    const element = scroller.current
    if (element === null) return
    isAtEnd.current = element.scrollWidth - element.clientWidth - element.scrollLeft < NEAR
    if (isAtEnd.current) {
      seenNumber.current = newestNumber
      setMissed(0)
    }
    if (element.scrollLeft < 200) showOlder()
  }

  function toEnd(): void {
    const element = scroller.current
    if (element !== null) element.scrollLeft = element.scrollWidth
  }

  function showTip(target: EventTarget | null): void {
    const element = target instanceof Element ? target.closest('[aria-label]') : null
    const frame = scroller.current?.parentElement
    if (element === null || frame === null || frame === undefined || !element.closest('.picture')) {
      setTip(undefined)
      return
    }
    const [own, outer] = [element.getBoundingClientRect(), frame.getBoundingClientRect()]
    const x = Math.min(Math.max(own.left + own.width / 2 - outer.left, 130), outer.width - 130)
    setTip({ text: element.getAttribute('aria-label') ?? '', x, y: own.top - outer.top })
  }

  useEffect(() => {
    const hide = (event: KeyboardEvent) => event.key === 'Escape' && setTip(undefined)
    document.addEventListener('keydown', hide)
    return () => document.removeEventListener('keydown', hide)
  }, [])

  const isInstant = status.value?.instant === true
  return (
    <section class="panel strip" aria-label="Ticks and blocks">
      <div class="lanes" aria-hidden="true">
        <span>waiting</span>
        <span>{isInstant ? 'transactions' : 'ticks'}</span>
        <span>blocks</span>
      </div>
      <div class="scroller" ref={scroller} onScroll={onScroll}>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is no picture */}
        <div
          class="picture"
          role="group"
          aria-label="Ticks and blocks, oldest first. Arrow keys move."
          onPointerOver={(event) => showTip(event.target)}
          onPointerLeave={() => setTip(undefined)}
          onFocusIn={(event) => showTip(event.target)}
          onFocusOut={() => setTip(undefined)}
          onKeyDown={moveFocus}
        >
          <Picture placed={layout.placed} width={layout.width} waiting={layout.waiting} />
        </div>
      </div>
      {missed > 0 && (
        <button type="button" class="pill" onClick={toEnd}>{`${count(missed)} new →`}</button>
      )}
      {tip !== undefined && (
        <div class="tip" role="tooltip" style={{ left: `${tip.x}px`, top: `${tip.y}px` }}>
          {tip.text}
        </div>
      )}
      <Pool />
    </section>
  )
}

interface PictureProps {
  readonly placed: readonly (PlacedBlock | PlacedFold)[]
  readonly width: number
  readonly waiting: readonly string[]
}

function Picture({ placed, width, waiting }: PictureProps) {
  const known = useRef<ReadonlySet<string> | undefined>(undefined)
  const keys = new Set(
    placed.flatMap((one) => (one.kind === 'block' ? one.cells : [])).map(({ key }) => key),
  )
  const before = known.current
  useEffect(() => {
    known.current = keys
  })
  const undone = undoneTo.value
  const last = placed.at(-1)
  return (
    <svg width={Math.max(1, width)} height={HEIGHT} role="presentation">
      <defs>
        <pattern
          id="hatch"
          width="4"
          height="4"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect class="ground" width="4" height="4" />
          <rect class="ink" width="2" height="4" />
        </pattern>
      </defs>
      {waiting.map((line) => (
        <path key={line} class="waiting" d={line} />
      ))}
      <g>
        {placed.map((one) =>
          one.kind === 'block' ? <Cells key={one.key} block={one} known={before} /> : null,
        )}
      </g>
      {placed.map((one) =>
        one.kind === 'block' ? (
          <Block key={one.key} block={one} isFirst={one === last} />
        ) : (
          <Fold key={one.key} fold={one} isFirst={one === last} />
        ),
      )}
      {undone !== undefined && (
        <text class="undone" x={Math.max(0, (last?.x ?? 0) - 2)} y={LANES.ticks.top + 12}>
          {`↶ #${undone}`}
        </text>
      )}
    </svg>
  )
}

function Cells({
  block,
  known,
}: {
  readonly block: PlacedBlock
  readonly known: ReadonlySet<string> | undefined
}) {
  const { group, cells, x } = block
  const base = LANES.ticks.top + LANES.ticks.height
  return (
    <>
      {group.earlierTicks > 0 && (
        <text class="folded" x={x + 8} y={base - 4}>{`+${count(group.earlierTicks)} ticks`}</text>
      )}
      {cells.map((cell) => (
        <a
          key={cell.key}
          class={known !== undefined && !known.has(cell.key) ? 'cell fresh' : 'cell'}
          href={links.block(block.isPending ? 'pending' : group.number)}
          aria-label={cell.label}
          tabIndex={-1}
          data-lane="ticks"
        >
          {/* All of the lane can be pointed at. */}
          <rect
            class="target"
            x={cell.x - 1}
            y={LANES.ticks.top}
            width={CELL_WIDTH + 2}
            height={LANES.ticks.height}
          />
          <rect class="bar" x={cell.x} y={cell.y} width={CELL_WIDTH} height={cell.height} rx="2" />
          {cell.hatched > 0 && (
            <rect
              class="reverted"
              x={cell.x}
              y={base - Math.max(4, cell.hatched)}
              width={CELL_WIDTH}
              height={Math.max(4, cell.hatched)}
              rx="2"
            />
          )}
          {cell.isLate && <path class="late" d={`M${cell.x + 3} ${cell.y - 3}h6l-3-6z`} />}
        </a>
      ))}
    </>
  )
}

function Block({ block, isFirst }: { readonly block: PlacedBlock; readonly isFirst: boolean }) {
  const { group, x, width, isPending, used, label } = block
  const { top, height } = LANES.blocks
  const gasTop = top + height - 8
  return (
    <>
      <a
        class={isPending ? 'block pending' : 'block'}
        href={links.block(isPending ? 'pending' : group.number)}
        aria-label={label}
        tabIndex={isFirst ? 0 : -1}
        data-lane="blocks"
      >
        <rect class="box" x={x + 1} y={top + 1} width={width - 2} height={height - 2} rx="6" />
        <rect class="gas" x={x + 6} y={gasTop} width={width - 12} height="3" rx="1.5" />
        <rect class="gas used" x={x + 6} y={gasTop} width={Math.max(0, used)} height="3" rx="1.5" />
      </a>
      <BlockWords block={block} />
    </>
  )
}

/** Width from which on there is room for a second line. */
const WIDE = 116

/** Drawn over the link, whose label says more, and in words. */
function BlockWords({ block: { group, x, width, isPending } }: { readonly block: PlacedBlock }) {
  const { top } = LANES.blocks
  const { number, hash } = group
  const transactions = plural(group.transactions, 'tx')
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a group of an SVG takes no focus
    <g class="words" aria-hidden="true">
      <text class="name" x={x + 9} y={top + 21}>
        {`#${number}${isPending ? '' : ' ✓'}`}
      </text>
      {width < WIDE ? (
        <text x={x + 9} y={top + 39}>
          {transactions}
        </text>
      ) : (
        <>
          <text class="end" x={x + width - 9} y={top + 21}>
            {transactions}
          </text>
          <text class="mono" x={x + 9} y={top + 39}>
            {hash === null ? <SealWords /> : `${hash.slice(0, 6)}…${hash.slice(-4)}`}
          </text>
        </>
      )}
    </g>
  )
}

/** When the pending block is sealed. */
export function SealWords() {
  const current = status.value
  if (current === undefined) return <>…</>
  if (current.instant) return <>sealed at once</>
  const { next, running } = current.sealing
  if (!running || next === null) return <>sealing frozen</>
  const left = Math.ceil((next - chainTime.value) / 1_000)
  return <>{left <= 0 ? 'seals now' : `seals in ${duration(left * 1_000)}`}</>
}

function Fold({ fold, isFirst }: { readonly fold: PlacedFold; readonly isFirst: boolean }) {
  const { x, width, group, label } = fold
  const { top, height } = LANES.blocks
  const middle = top + height / 2
  const size = group.to - group.from + 1
  return (
    <>
      <a
        class="fold"
        href={links.block(group.to)}
        aria-label={label}
        tabIndex={isFirst ? 0 : -1}
        data-lane="blocks"
      >
        <rect class="target" x={x} y={top} width={width} height={height} />
        <path d={`M${x + 2} ${middle + 12}h${width - 4}`} />
      </a>
      {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: as above */}
      <g class="words" aria-hidden="true">
        <text class="middle" x={x + width / 2} y={middle}>
          {size === 1 ? `#${group.from}` : count(size)}
        </text>
        <text class="middle" x={x + width / 2} y={middle + 28}>
          empty
        </text>
      </g>
    </>
  )
}

/** At most this many are drawn as dots. */
const MAX_DOTS = 60

/** What waits, and when the next tick and the next seal come. */
function Pool() {
  const current = status.value
  if (current === undefined) return <div class="pool" />
  const { runnable, waiting } = current.mempool
  const total = runnable + waiting
  return (
    <div class="pool">
      <a href={links.view('mempool')} class="dots">
        {total > 0 && total <= MAX_DOTS && (
          <svg width="92" height={8 * Math.ceil(total / 12)} aria-hidden="true">
            {Array.from({ length: total }, (_, index) => (
              <circle
                key={index < runnable ? `r${index}` : `w${index}`}
                class={index < runnable ? 'runnable' : 'behind'}
                cx={4 + 8 * (index % 12)}
                cy={4 + 8 * Math.floor(index / 12)}
                r={index < runnable ? 3 : 2.4}
              />
            ))}
          </svg>
        )}
        <span>
          {total === 0
            ? 'Nothing waits'
            : [
                ...(runnable > 0 ? [`${count(runnable)} runnable`] : []),
                ...(waiting > 0 ? [`${count(waiting)} behind a gap`] : []),
              ].join(', ')}
        </span>
      </a>
      <ClockLine name="tick" />
      <ClockLine name="seal" />
    </div>
  )
}

/** A clock in words, with a bar that runs down to its next beat. */
export function ClockLine({ name }: { readonly name: 'tick' | 'seal' }) {
  const bar = useRef<HTMLSpanElement>(null)
  const current = status.value
  const clock = name === 'tick' ? current?.ticks : current?.sealing
  const next = clock?.next ?? null
  const isRunning = clock?.running === true && current?.instant !== true && next !== null
  const left = current === undefined || next === null ? 0 : Math.max(0, next - current.time)
  // A bar that ran down several times a second would blink.
  const isShown = isRunning && (clock?.interval ?? 0) >= SHORTEST_BAR

  useEffect(() => {
    if (!isShown || matchMedia('(prefers-reduced-motion: reduce)').matches) return
    const whole = clock?.interval ?? 1
    const running = bar.current?.animate(
      [{ transform: `scaleX(${Math.min(1, left / whole)})` }, { transform: 'scaleX(0)' }],
      { duration: left, fill: 'forwards' },
    )
    return () => running?.cancel()
  }, [isShown, next])

  const interval = clock === undefined ? '' : duration(clock.interval)
  const words = isRunning
    ? `every ${interval}`
    : current?.instant === true
      ? 'with each transaction'
      : 'frozen'
  return (
    <div class={isRunning ? 'clock' : 'clock still'}>
      <span class="lamp" aria-hidden="true" />
      <span>{name === 'tick' ? 'Ticks' : 'Seals'}</span> <span class="when">{words}</span>
      {isShown && (
        <span class="left" aria-hidden="true">
          <span ref={bar} />
        </span>
      )}
    </div>
  )
}

/** ms. */
const SHORTEST_BAR = 500

/** Arrow keys: cells and blocks, lanes; Home and End: oldest and newest. */
function moveFocus(event: KeyboardEvent): void {
  const own = document.activeElement?.closest<SVGAElement>('[data-lane]')
  const picture = own?.closest('.picture')
  if (own === null || own === undefined || picture === null || picture === undefined) return
  const lane = own.getAttribute('data-lane')
  const inLane = (name: string | null) => [
    ...picture.querySelectorAll<SVGAElement>(`[data-lane="${name}"]`),
  ]
  const peers = inLane(lane)
  const index = peers.indexOf(own)
  const move: Readonly<Record<string, () => SVGAElement | undefined>> = {
    ArrowLeft: () => peers[index - 1],
    ArrowRight: () => peers[index + 1],
    Home: () => peers[0],
    End: () => peers.at(-1),
    ArrowUp: () => (lane === 'blocks' ? nearest(inLane('ticks'), own) : undefined),
    ArrowDown: () => (lane === 'ticks' ? nearest(inLane('blocks'), own) : undefined),
  }
  const target = move[event.key]?.()
  if (target === undefined) return
  event.preventDefault()
  event.stopPropagation()
  for (const one of picture.querySelectorAll('[tabindex="0"]')) one.setAttribute('tabindex', '-1')
  target.setAttribute('tabindex', '0')
  target.focus()
  target.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

function nearest(candidates: readonly SVGAElement[], from: Element): SVGAElement | undefined {
  const middle = (one: Element) => {
    const { left, width } = one.getBoundingClientRect()
    return left + width / 2
  }
  const wanted = middle(from)
  return candidates
    .map((one) => ({ one, away: Math.abs(middle(one) - wanted) }))
    .sort((first, second) => first.away - second.away)[0]?.one
}
