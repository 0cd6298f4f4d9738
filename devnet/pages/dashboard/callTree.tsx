import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Frame } from '../../dashboard/methods/trace.ts'
import type { TransactionDetails } from '../../dashboard/methods/transaction.ts'
import type { Event } from '../../dashboard/naming.ts'
import { short } from '../../primitives/visible.ts'
import { Untrusted } from '../kit/elements.tsx'
import { count, plural } from '../kit/shownValue.ts'
import { Arguments, BytesText, Call, FailureText, failureWords } from './decoded.tsx'
import { Address, Ether, Gauge, Panel } from './parts.tsx'
import { type Answer, nameOf } from './store.ts'

/** Number of rows that are shown at first, and a quarter of those added with each press. */
const ROWS = 50

type Traced = Pick<
  Answer<'trace'>,
  'frames' | 'omittedFrames' | 'events' | 'omittedEvents' | 'origin'
>

interface CallTreeProps {
  readonly transaction: TransactionDetails
  /** Default: the call of the transaction and its events, which are known without it */
  readonly trace?: Answer<'trace'> | undefined
  /** Reason why there is no more than that. */
  readonly note?: string | undefined
}

/** The calls inside of a transaction, callers before callees, with their events at their places. */
export function CallTree({ transaction, trace, note }: CallTreeProps) {
  const [isOpen, setOpen] = useState(false)
  const [pages, setPages] = useState(0)
  const traced = trace ?? traceOf(transaction)
  const { frames, events, omittedFrames, omittedEvents } = traced
  const all = rowsOf(traced)
  const origin = all.findIndex((row) => 'frame' in row && row.index === traced.origin)
  const shown = Math.max(ROWS + 4 * ROWS * pages, origin + 1)
  const total = Math.max(1, frames[0]?.gasUsed ?? 0)
  const omitted = omittedFrames + omittedEvents
  const more = (
    <>
      <span class="note">
        {plural(frames.length + omittedFrames, 'call')}
        {events.length > 0 && `, ${plural(events.length + omittedEvents, 'event')}`}
        {note !== undefined && (
          <>
            {'. '}
            <Untrusted text={note} />
          </>
        )}
      </span>
      <button type="button" class="button small" onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Collapse all' : 'Expand all'}
      </button>
    </>
  )
  return (
    <Panel title="Calls" more={more}>
      <ol class="tree">
        {all
          .slice(0, shown)
          .map((row) =>
            'frame' in row ? (
              <FrameRow
                key={row.index}
                frame={row.frame}
                total={total}
                isOpen={isOpen || row.index === 0 || row.index === traced.origin}
              />
            ) : (
              <EventRow key={`event ${row.event.index}`} {...row} isOpen={isOpen} />
            ),
          )}
      </ol>
      {all.length > shown && (
        <p class="pad">
          <button type="button" class="button small" onClick={() => setPages(pages + 1)}>
            {`Show ${count(Math.min(4 * ROWS, all.length - shown))} more`}
          </button>
        </p>
      )}
      {all.length <= shown && omitted > 0 && <p class="pad note">{`and ${count(omitted)} more`}</p>}
    </Panel>
  )
}

/** The part of a trace that is known of a transaction without one. */
function traceOf({ from, to, value, call, input, gasLimit, outcome }: TransactionDetails): Traced {
  const root: Frame = {
    depth: 0,
    type: to === null ? 'CREATE' : 'CALL',
    from,
    to: to ?? outcome?.created ?? null,
    value,
    gas: gasLimit,
    gasUsed: outcome?.gasUsed ?? 0,
    ownGas: outcome?.gasUsed ?? 0,
    call,
    input,
    output: { shown: '0x', size: 0 },
    returns: null,
    returned: null,
    failure: null,
  }
  const events = (outcome?.events ?? []).map((event) => ({ before: 1, depth: 1, event }))
  const omittedEvents = outcome?.omittedEvents ?? 0
  return { frames: [root], omittedFrames: 0, events, omittedEvents, origin: null }
}

type Row =
  | { readonly frame: Frame; readonly index: number }
  | { readonly event: Event; readonly depth: number }

function rowsOf({ frames, events }: Traced): Row[] {
  const rows: Row[] = []
  let next = 0
  for (let index = 0; index <= frames.length; index++) {
    for (; events[next]?.before === index; next++) rows.push(events[next] as Row)
    const frame = frames[index]
    if (frame !== undefined) rows.push({ frame, index })
  }
  return rows
}

/** Levels that are indented in full; deeper ones a little, with their number. */
const FULL = 12

interface TreeRowProps {
  readonly depth: number
  readonly kind: string
  readonly head: ComponentChildren
  readonly isOpen: boolean
  readonly children: ComponentChildren
}

function TreeRow({ depth, kind, head, isOpen, children }: TreeRowProps) {
  const indent = Math.min(depth, FULL) + Math.min(Math.max(0, depth - FULL), 48) / 12
  return (
    <li style={{ '--indent': indent }}>
      <details open={isOpen}>
        <summary class="frame">
          {depth > FULL && <span class="badge">{depth}</span>}
          <span class="opcode">{kind}</span>
          {head}
        </summary>
        <div class="inside">{children}</div>
      </details>
    </li>
  )
}

interface FrameRowProps {
  readonly frame: Frame
  readonly isOpen: boolean
  /** Gas of the whole transaction. */
  readonly total: number
}

function FrameRow({ frame, isOpen, total }: FrameRowProps) {
  const { depth, type, to, value, gasUsed, ownGas, call, input, output, failure } = frame
  const { text, decoded } = call
  const returns = frame.returns ?? []
  const words =
    text ?? (to === null ? 'nothing was created' : (nameOf(to) ?? short(to)) + selectorOf(input))
  const head = (
    <>
      <span class="callee">
        <Untrusted text={words} />
        {returns.length > 0 && (
          <span class="note">
            {' → '}
            <Untrusted text={frame.returned ?? ''} />
          </span>
        )}
      </span>
      {value !== null && value !== '0' && <Ether wei={BigInt(value)} isListed={true} />}
      {failure !== null && (
        <Untrusted within="span" class="badge bad" text={failureWords(failure)} />
      )}
      {gasUsed > 0 && (
        <span class="gas note" title={`${count(ownGas)} gas of its own`}>
          {`${count(gasUsed)} gas`}
          {ownGas !== gasUsed && <small>{` own ${count(ownGas)}`}</small>}
          <Gauge used={gasUsed} limit={total} />
        </span>
      )}
    </>
  )
  return (
    <TreeRow depth={depth} kind={type} head={head} isOpen={isOpen}>
      {to !== null && (
        <p>
          <span class="note">at</span> <Address address={to} whole={true} />
          {decoded?.isProxied === true && (
            <span class="note">{decoded.isDelegated ? ' by delegation' : ' behind a proxy'}</span>
          )}
        </p>
      )}
      <Call call={call} input={input} />
      {returns.length > 0 && (
        <>
          <p class="note">returns</p>
          <Arguments list={returns} />
        </>
      )}
      {returns.length === 0 &&
        failure === null &&
        output.size > 0 &&
        decoded?.function !== null && (
          <>
            <p class="note">output</p>
            <BytesText bytes={output} />
          </>
        )}
      {failure !== null && depth > 0 && <FailureText failure={failure} />}
    </TreeRow>
  )
}

function selectorOf({ shown, size }: Frame['input']): string {
  return size < 4 ? '' : ` ${shown.slice(0, 10)}`
}

interface EventRowProps {
  readonly event: Event
  readonly depth: number
  readonly isOpen: boolean
}

function EventRow({ event, depth, isOpen }: EventRowProps) {
  const { index, address, contract, text, arguments: list, problem, topics, data } = event
  const head = <Untrusted within="span" class="callee" text={text ?? 'Unknown event'} />
  return (
    <TreeRow depth={depth} kind="event" head={head} isOpen={isOpen}>
      <p>
        <span class="note">{`log ${index} of`}</span>{' '}
        <Address address={address} name={contract ?? undefined} whole={true} />
      </p>
      {list !== null && list.length > 0 && <Arguments list={list} />}
      {problem !== null && <p class="note">{problem}</p>}
      {list === null && (
        <>
          {topics.map((topic) => (
            <p key={topic}>
              <code class="wrap">{topic}</code>
            </p>
          ))}
          {data.size > 0 && <BytesText bytes={data} />}
        </>
      )}
    </TreeRow>
  )
}
