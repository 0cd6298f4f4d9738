import { isRequest } from '../../dashboard/newestLines.ts'
import { Untrusted } from '../kit/elements.tsx'
import { count, plural } from '../kit/shownValue.ts'
import { CallWords } from './callWords.tsx'
import { NoneYet } from './noneYet.tsx'
import { Address, Empty, Panel, StateGlyph, TxHash } from './parts.tsx'
import { links } from './router.ts'
import { pushedLines, state, status, strip } from './store.ts'
import { Strip } from './strip.tsx'
import { largestOf, TickTable } from './tickTable.tsx'
import { useAnswer } from './useAnswer.ts'

const NEWEST = 8

export function NowView() {
  const counts = state.value?.counts
  const isEmpty = counts !== undefined && counts.end === 0 && counts.waiting === 0
  return (
    <>
      <h1 class="unseen">Now</h1>
      <Strip />
      <NoArtifacts />
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
        No names: there are no artifacts in <code>{artifacts.folder}</code>.{' '}
        <code>npx hardhat compile</code> makes them; they are read at once.
      </span>
    </p>
  )
}

/** The same as the newest group of the strip, in words. */
function PendingBlock() {
  const pending = strip.value.groups.find((group) => group.kind === 'block' && group.hash === null)
  const current = status.value?.pending
  const ticks = pending?.kind === 'block' ? pending.ticks : []
  const more = (
    <a class="more" href={links.block('pending')}>
      {`${count(current?.transactions ?? 0)} pre-confirmed`}
    </a>
  )
  return (
    <Panel title={`Pending block #${current?.number ?? ''}`} more={more}>
      {ticks.length === 0 ? (
        <Empty>Nothing is pre-confirmed.</Empty>
      ) : (
        <TickTable ticks={ticks.slice(-NEWEST)} largest={largestOf(ticks)} />
      )}
    </Panel>
  )
}

function Waiting() {
  const { answer } = useAnswer('mempool', { limit: 0 })
  const more = (
    <a class="more" href={links.view('mempool')}>
      Mempool
    </a>
  )
  const senders = answer?.senders.slice(0, NEWEST) ?? []
  return (
    <Panel title="Waiting" more={more}>
      {senders.length === 0 ? (
        <Empty>Nothing waits.</Empty>
      ) : (
        <ul class="plain senders">
          {senders.map(({ address, count: waiting, gaps }) => {
            const [gap] = gaps
            return (
              <li key={address}>
                <span>
                  <Address address={address} />
                  {gap !== undefined && (
                    <small class="gap">
                      {gap.from === gap.to
                        ? `nonce ${gap.from} is missing`
                        : `nonces ${gap.from} to ${gap.to} are missing`}
                    </small>
                  )}
                </span>
                <span class="note number">{plural(waiting, 'transaction')}</span>
              </li>
            )
          })}
        </ul>
      )}
    </Panel>
  )
}

function Newest() {
  const { answer } = useAnswer('transactions', { limit: NEWEST, waiting: 0 })
  const more = (
    <a class="more" href={links.view('txs')}>
      All transactions
    </a>
  )
  const rows = answer?.rows ?? []
  return (
    <Panel title="Newest transactions" more={more}>
      {rows.length === 0 ? (
        <Empty>None is executed yet.</Empty>
      ) : (
        <ul class="plain newest">
          {rows.map((row) => (
            <li key={row.hash} data-row={row.hash} data-href={links.tx(row.hash)} tabIndex={-1}>
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
          <li key={id} class="mono clip">
            <Untrusted text={text.split('\n')[0] ?? ''} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}
