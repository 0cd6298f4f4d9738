import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { sentenceOf } from '../kit/link.ts'
import { count } from '../kit/shownValue.ts'
import { ClockLine } from './clockLine.tsx'
import { Mark } from './parts.tsx'
import { links } from './router.ts'
import { call, failure, GROUPS_A_PAGE, isBrowsing, status, strip } from './store.ts'
import { moveFocus } from './stripFocus.ts'
import { isFull, prependGroups } from './stripGroups.ts'
import { layOut, type StripLayout } from './stripLayout.ts'
import { Picture } from './stripPicture.tsx'

interface Tip {
  readonly text: string
  readonly x: number
  readonly y: number
}

/** px from the right end within which the newest group counts as in view. */
const NEAR = 24
/** px from the left end within which older groups are asked for. */
const NEAR_OLDEST = 200

/** The picture of ticks and seals, newest at the right; the same data stands below as tables. */
export function Strip() {
  const held = strip.value
  const list = held.groups
  const layout = useMemo(() => layOut(list), [list])
  const shown = useRef<StripLayout>(layout)
  const scroller = useRef<HTMLDivElement>(null)
  const isAsking = useRef(false)
  const [missed, setMissed] = useState(0)
  const [hasMoreLeft, setMoreLeft] = useState(false)
  const [tip, setTip] = useState<Tip | undefined>(undefined)
  const newest = list.at(-1)
  const newestNumber =
    newest === undefined ? 0 : newest.kind === 'block' ? newest.number : newest.to
  const seenNumber = useRef(newestNumber)

  useLayoutEffect(() => {
    const element = scroller.current
    const before = shown.current
    shown.current = layout
    if (element === null) return
    if (isBrowsing.peek()) {
      element.scrollLeft += shiftOf(before, layout, element.scrollLeft)
      setMissed(Math.max(0, newestNumber - seenNumber.current))
    } else {
      element.scrollLeft = element.scrollWidth
      seenNumber.current = newestNumber
      setMissed(0)
    }
    setMoreLeft(element.scrollLeft > 0)
  }, [layout, newestNumber])
  useEffect(
    () => () => {
      isBrowsing.value = false
    },
    [],
  )

  async function showOlder(): Promise<void> {
    const { older } = strip.peek()
    if (older === null || isAsking.current || isFull(strip.peek())) return
    isAsking.current = true
    try {
      const page = await call('strip', { before: older, limit: GROUPS_A_PAGE })
      strip.value = prependGroups(strip.peek(), { groups: page.groups, older: page.next })
    } catch (error) {
      failure.value = sentenceOf(error)
    } finally {
      isAsking.current = false
    }
  }

  function onScroll(): void {
    const element = scroller.current
    if (element === null) return
    isBrowsing.value = element.scrollWidth - element.clientWidth - element.scrollLeft >= NEAR
    if (!isBrowsing.peek()) {
      seenNumber.current = newestNumber
      setMissed(0)
    }
    setMoreLeft(element.scrollLeft > 0)
    if (element.scrollLeft < NEAR_OLDEST) showOlder()
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
      <div
        class={hasMoreLeft ? 'scroller more-left' : 'scroller'}
        ref={scroller}
        onScroll={onScroll}
      >
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
          <Picture layout={layout} />
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
      {isFull(held) && held.older !== null && hasMoreLeft === false && (
        <a class="pill older" href={links.blocksBefore(held.older)}>
          Older blocks
        </a>
      )}
      <Pool />
      <StripLegend />
    </section>
  )
}

/** px by which what is in view has moved, because older groups came or went. */
function shiftOf(before: StripLayout, after: StripLayout, left: number): number {
  const places = new Map(after.placed.map(({ key, x }) => [key, x]))
  for (const { key, x, width } of before.placed) {
    const now = places.get(key)
    if (x + width >= left && now !== undefined) return now - x
  }
  return 0
}

/** Meanings of the marks of the states, in the order of a transaction's life. */
function StripLegend() {
  const how = status.value?.instant === true ? 'at once' : 'by a tick'
  return (
    <ul class="legend" aria-label="What the marks mean">
      <li>
        <Mark state="queued" /> <b>Queued</b> waits for a tick
      </li>
      <li>
        <Mark state="preconfirmed" /> <b>Pre-confirmed</b>{' '}
        {`executed ${how}: final, but not sealed yet`}
      </li>
      <li>
        <Mark state="sealed" /> <b>Sealed</b> in a block of the chain
      </li>
      <li>
        <Mark state="sealed" reverted={true} /> <b>Reverted</b> executed, but failed
      </li>
    </ul>
  )
}

/** At most this many are drawn as dots. */
const MAX_DOTS = 60

/** Waiting transactions, and the times of the next tick and the next seal. */
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
      {/* The control panel has them, where it is in view. */}
      <div class="beats">
        <ClockLine name="tick" />
        <ClockLine name="seal" />
      </div>
    </div>
  )
}
