import { useEffect, useRef } from 'preact/hooks'
import { count, plural } from '../kit/shownValue.ts'
import { SealWords } from './clockLine.tsx'
import { links } from './router.ts'
import { isTimeFrozen, undoneTo } from './store.ts'
import { tabStop } from './stripFocus.ts'
import {
  CELL_WIDTH,
  HEIGHT,
  LANES,
  type PlacedBlock,
  type PlacedFold,
  type StripLayout,
} from './stripLayout.ts'

/** Draws the groups; one cell or block is the tab stop of all. */
export function Picture({ layout: { placed, width, waiting } }: { readonly layout: StripLayout }) {
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
  const wanted = tabStop.value
  const isThere =
    wanted !== undefined && (keys.has(wanted) || placed.some(({ key }) => key === wanted))
  const stop = isThere ? wanted : last?.key
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
      {waiting.map(({ path, x, y, words }) => (
        <g key={path} class="waiting">
          <path d={path} />
          <text x={x} y={y}>
            {words}
          </text>
        </g>
      ))}
      <g>
        {placed.map((one) =>
          one.kind === 'block' ? (
            <Cells key={one.key} block={one} known={before} stop={stop} />
          ) : null,
        )}
      </g>
      {placed.map((one) =>
        one.kind === 'block' ? (
          <Block key={one.key} block={one} stop={stop} />
        ) : (
          <Fold key={one.key} fold={one} stop={stop} />
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

interface CellsProps {
  readonly block: PlacedBlock
  /** Keys of the cells that were there before. */
  readonly known: ReadonlySet<string> | undefined
  /** Key of the tab stop. */
  readonly stop: string | undefined
}

function Cells({ block, known, stop }: CellsProps) {
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
          tabindex={cell.key === stop ? 0 : -1}
          data-lane="ticks"
          data-key={cell.key}
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

interface BlockProps {
  readonly block: PlacedBlock
  readonly stop: string | undefined
}

function Block({ block, stop }: BlockProps) {
  const { group, x, width, isPending, used, label } = block
  const { top, height } = LANES.blocks
  const gasTop = top + height - 8
  return (
    <>
      <a
        class={isPending ? 'block pending' : 'block'}
        href={links.block(isPending ? 'pending' : group.number)}
        aria-label={label}
        tabindex={block.key === stop ? 0 : -1}
        data-lane="blocks"
        data-key={block.key}
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
            {hash === null ? (
              isTimeFrozen.value ? (
                'pending'
              ) : (
                <SealWords />
              )
            ) : (
              `${hash.slice(0, 6)}…${hash.slice(-4)}`
            )}
          </text>
        </>
      )}
    </g>
  )
}

interface FoldProps {
  readonly fold: PlacedFold
  readonly stop: string | undefined
}

function Fold({ fold, stop }: FoldProps) {
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
        tabindex={fold.key === stop ? 0 : -1}
        data-lane="blocks"
        data-key={fold.key}
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
