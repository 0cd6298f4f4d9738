import { isRequest } from '../../dashboard/newestLines.ts'
import { Untrusted } from '../kit/elements.tsx'
import { count, plural } from '../kit/shownValue.ts'
import { CallWords } from './callWords.tsx'
import { gapWords } from './gapWords.ts'
import { NoneYet } from './noneYet.tsx'
import { NumbersPanel } from './numbersPanel.tsx'
import { Address, Empty, Panel, StateGlyph, TxHash } from './parts.tsx'
import { links } from './router.ts'
import { pushedLines, state, status, strip } from './store.ts'
import { Strip } from './strip.tsx'
import { largestOf, TickTable } from './tickTable.tsx'
import { useAnswer } from './useAnswer.ts'
import { useHeld } from './useHeld.ts'

/** Rows of the lists, whose panels are as high without any. */
const NEWEST = 8
const TICKS = 10
const SENDERS = 6

export function NowView() {
  const counts = state.value?.counts
  const isEmpty = counts !== undefined && counts.end === 0 && counts.waiting === 0
  return (
    <>
      <h1 class="unseen">Now</h1>
      <Strip />
      <NoArtifacts />
      <NumbersPanel />
      {isEmpty ? (
        <NoneYet />
      ) : (
        <>
          <div class="pair">
            <PendingBlock />
            <Waiting />
          </div>
          <Newest />
        </>
      )}
      <NewestLines />
    </>
  )
}

function NoArtifacts() {
  const artifacts = state.value?.artifacts
  if (artifacts === undefined || artifacts.folder === null || artifacts.contracts > 0) return null
  return (
    <p class="banner">
      <span>
        No names: there are no artifacts in <code>{artifacts.folder}</code>. The build of a Hardhat
        project makes them; they are read at once.
      </span>
    </p>
  )
}

/** The same as the newest group of the strip, in words. */
function PendingBlock() {
  const pending = strip.value.groups.find((group) => group.kind === 'block' && group.hash === null)
  const current = status.value?.pending
  const { shown, on } = useHeld({
    number: current?.number,
    transactions: current?.transactions ?? 0,
    ticks: pending?.kind === 'block' ? pending.ticks : [],
  })
  const { number, transactions, ticks } = shown
  const more = (
    <a class="more" href={links.block(number ?? 'pending')}>
      {`${count(transactions)} pre-confirmed`}
    </a>
  )
  return (
    <Panel title={`Pending block #${number ?? ''}`} more={more}>
      <div class="kept" {...on}>
        {ticks.length === 0 ? (
          <Empty>Nothing is pre-confirmed.</Empty>
        ) : (
          <TickTable ticks={ticks.slice(-TICKS)} largest={largestOf(ticks)} />
        )}
      </div>
    </Panel>
  )
}

function Waiting() {
  const { answer } = useAnswer('mempool', { limit: 0 })
  const { shown, on } = useHeld(answer)
  const more = (
    <a class="more" href={links.view('mempool')}>
      Mempool
    </a>
  )
  const senders = shown?.senders.slice(0, SENDERS) ?? []
  return (
    <Panel title="Waiting" more={more}>
      <div class="kept" {...on}>
        {senders.length === 0 ? (
          <Empty>Nothing waits.</Empty>
        ) : (
          <ul class="plain senders">
            {senders.map(({ address, count: waiting, gaps }, place) => (
              // By place, so that no row moves when another comes.
              <li key={place}>
                <span>
                  <Address address={address} />
                  {gaps.length > 0 && <small class="gap clip">{gapWords(gaps)}</small>}
                </span>
                <span class="note number">{plural(waiting, 'transaction')}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Panel>
  )
}

function Newest() {
  const { answer } = useAnswer('transactions', { limit: NEWEST, waiting: 0 })
  const { shown, isHeld, on } = useHeld(answer)
  const missed = (answer?.end ?? 0) - (shown?.end ?? 0)
  const more = (
    <span class="more">
      {isHeld && missed > 0 && (
        <span class="note" title="The list goes on when nothing in it is pointed at">
          {`${count(missed)} new`}
        </span>
      )}{' '}
      <a href={links.view('txs')}>All transactions</a>
    </span>
  )
  const rows = shown?.rows ?? []
  return (
    <Panel title="Newest transactions" more={more}>
      <div class="kept" {...on}>
        {rows.length === 0 ? (
          <Empty>None is executed yet.</Empty>
        ) : (
          <ul class="plain newest">
            {rows.map((row, place) => (
              <li
                // By place, so that no row moves when another comes.
                key={place}
                data-row={row.hash}
                data-href={links.tx(row.hash)}
                tabIndex={-1}
              >
                <StateGlyph state={row.state} reverted={row.reverted} />
                <TxHash hash={row.hash} />
                <span class="clip">
                  <CallWords row={row} />
                </span>
                <a
                  class="note number"
                  href={links.block(row.state === 'sealed' ? row.block : 'pending')}
                >
                  {`#${row.block}, tick ${row.tick}`}
                </a>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Panel>
  )
}

function NewestLines() {
  const lines = pushedLines.value
    .filter((line) => !isRequest(line))
    .slice(-NEWEST)
    .toReversed()
  if (lines.length === 0) return null
  const more = (
    <a class="more" href={links.view('log')}>
      Log
    </a>
  )
  return (
    <Panel title="Newest lines of the log" more={more}>
      <ul class="plain">
        {lines.map(({ id, text }) => (
          <Untrusted key={id} within="li" class="mono clip" text={text.split('\n')[0] ?? ''} />
        ))}
      </ul>
    </Panel>
  )
}
