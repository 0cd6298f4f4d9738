import { useEffect, useRef, useState } from 'preact/hooks'
import type { LogLine } from '../../dashboard/newestLines.ts'
import { visibleLines } from '../../primitives/visible.ts'
import { count, plural, timeOfDay } from '../kit/shownValue.ts'
import { Address, Empty, FilterInput, Switch, TxHash } from './parts.tsx'
import { pushedLines } from './store.ts'
import { useAnswer } from './useAnswer.ts'

const KINDS: Readonly<Record<LogLine['kind'], string>> = {
  console: 'console.log',
  failed: 'failed',
  request: 'answered',
  late: 'late tick',
  save: 'saved',
  undo: 'taken back',
  fault: 'fault',
  hint: 'hint',
}

/** Lines in the page: a table of all that the node keeps would be slow. */
const SHOWN = 200

export function LogView() {
  // Asked for once; later lines are pushed.
  const { answer, error } = useAnswer('log', {}, 'undone')
  const [text, setText] = useState('')
  const [areRequestsShown, showRequests] = useState(false)
  const [isPaused, setPaused] = useState(false)
  const last = answer?.lines.at(-1)?.id ?? -1
  const all = [...(answer?.lines ?? []), ...pushedLines.value.filter(({ id }) => id > last)]
  const held = useRef<readonly LogLine[]>(all)
  useEffect(() => {
    if (!isPaused) held.current = all
  })
  const lines = isPaused ? held.current : all
  const wanted = text.trim().toLowerCase()
  const fitting = lines.filter(
    ({ kind, text: words }) =>
      (areRequestsShown || kind !== 'request') && words.toLowerCase().includes(wanted),
  )
  const slowest = Math.max(1, ...fitting.slice(-SHOWN).map(({ elapsed }) => elapsed ?? 0))
  const missed = isPaused ? (all.at(-1)?.id ?? 0) - (held.current.at(-1)?.id ?? 0) : 0
  return (
    <>
      <div class="title">
        <h1>Log</h1>
        <span class="note">
          since the node started; requests that succeeded only while a dashboard is open
        </span>
        <div class="more">
          <button
            type="button"
            class="button"
            aria-pressed={isPaused}
            onClick={() => setPaused(!isPaused)}
          >
            {isPaused ? (missed > 0 ? `Go on (${count(missed)} new)` : 'Go on') : 'Pause'}
          </button>
        </div>
      </div>
      <div class="filters">
        <Switch
          isOn={areRequestsShown}
          onSwitch={showRequests}
          words="All requests, not only those that failed"
        />
        <form onSubmit={(event) => event.preventDefault()}>
          <FilterInput label="Filter the log" placeholder="Filter" text={text} onText={setText} />
        </form>
      </div>
      {error !== undefined && <p class="alert">{error}</p>}
      <section class="panel" aria-label="Lines, newest first">
        {fitting.length === 0 ? (
          <Empty title="Nothing yet.">
            console.log of contracts, failed requests and late ticks stand here.
          </Empty>
        ) : (
          <ol class="lines">
            {fitting
              .slice(-SHOWN)
              .toReversed()
              .map((line) => (
                <Line key={line.id} line={line} slowest={slowest} />
              ))}
          </ol>
        )}
        {fitting.length > SHOWN && (
          <p class="pad note">{`and ${plural(fitting.length - SHOWN, 'older line')}: filter to find them`}</p>
        )}
      </section>
    </>
  )
}

interface LineProps {
  readonly line: LogLine
  /** ms of the slowest request in sight. */
  readonly slowest: number
}

function Line({ line, slowest }: LineProps) {
  const { kind, time, text, transaction, address, elapsed } = line
  return (
    <li class={`line of-${kind}`}>
      <time class="note mono" dateTime={new Date(time).toISOString()}>
        {timeOfDay(time)}
      </time>
      <span class="badge">{KINDS[kind]}</span>
      <div>
        <pre class="wrapped">
          <bdi>{visibleLines(text)}</bdi>
        </pre>
        {(transaction !== null || address !== null) && (
          <p class="of">
            {transaction !== null && <TxHash hash={transaction} />}
            {address !== null && <Address address={address} />}
          </p>
        )}
      </div>
      {elapsed !== null && (
        <span class="took note">
          <span class="gauge" aria-hidden="true">
            <span style={{ width: `${(100 * elapsed) / slowest}%` }} />
          </span>{' '}
          {`${elapsed.toFixed(1)} ms`}
        </span>
      )}
    </li>
  )
}
