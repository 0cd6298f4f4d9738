import type {
  DroppedRow,
  MempoolSender,
  WaitingRow,
} from '../../dashboard/apiTypes/transactionTypes.ts'
import { Untrusted } from '../kit/elements.tsx'
import { count, plural } from '../kit/shownValue.ts'
import { CallWords } from './callWords.tsx'
import { Confirmed } from './confirmed.tsx'
import { Pager, usePages } from './pages.tsx'
import { Address, Empty, Mark, Panel, StateGlyph, TxHash } from './parts.tsx'
import { links } from './router.ts'
import { isTimeFrozen, status } from './store.ts'
import { useAnswer } from './useAnswer.ts'

export function MempoolView() {
  const { answer, error } = useAnswer('mempool', {})
  const pages = usePages(answer?.senders.length ?? 0, SENDERS)
  if (error !== undefined) return <p class="alert">{error}</p>
  if (answer === undefined) return <p class="note">Loading…</p>
  const { senders, omitted, dropped, runnable, waiting } = answer
  const areTicksFrozen = status.value?.ticks.running === false && status.value.instant === false
  return (
    <>
      <div class="title">
        <h1>Mempool</h1>
        {runnable > 0 && <span class="badge queued">{`${count(runnable)} runnable`}</span>}
        {waiting > 0 && <span class="badge late">{`${count(waiting)} behind a gap`}</span>}
        {areTicksFrozen && runnable > 0 && !isTimeFrozen.value && (
          <span class="note">Ticks are frozen.</span>
        )}
      </div>
      {senders.length === 0 ? (
        <div class="panel">
          <Empty title="Nothing waits.">What is sent is executed with the next tick.</Empty>
        </div>
      ) : (
        senders
          .slice(pages.first, pages.end)
          .map((sender) => <Sender key={sender.address} sender={sender} />)
      )}
      {pages.pages > 1 && (
        <p class="pad">
          <Pager of={pages} />
        </p>
      )}
      {omitted > 0 && <p class="pad note">{`and ${plural(omitted, 'transaction')} more`}</p>}
      {dropped.length > 0 && <Dropped rows={dropped} />}
    </>
  )
}

/** Senders of a page, rows of each, and dropped ones: fewer than 60 rows together. */
const SENDERS = 5
const ROWS = 8
const DROPPED_ROWS = 15
/** Nonces that are drawn as chips. */
const MAX_CHIPS = 40
/** Missing nonces that are drawn one by one. */
const MAX_HOLLOW = 3

function Sender({ sender }: { readonly sender: MempoolSender }) {
  const { address, next, count: waiting, transactions, gaps } = sender
  const [gap] = gaps
  const pages = usePages(transactions.length, ROWS)
  const behind = transactions.filter(({ runnable }) => !runnable).length
  const unshown = waiting - Math.min(MAX_CHIPS, transactions.length)
  return (
    <section class="panel sender" aria-label={`Sender ${address}`}>
      <header>
        <Address address={address} />
        <span class="note">{`next nonce ${count(next)}`}</span>
        {gap !== undefined && behind > 0 && (
          <span class="gap">
            {gap.from === gap.to
              ? `Nonce ${gap.from} is missing: `
              : `Nonces ${gap.from} to ${gap.to} are missing: `}
            {behind === 1
              ? '1 transaction waits for it.'
              : `${count(behind)} transactions wait for it.`}
          </span>
        )}
      </header>
      <ol class="chips" aria-label="Nonces in order">
        {chipsOf(sender).map((chip) => (
          <li key={chip.key}>
            {chip.row === undefined ? (
              <span class="chip missing">{chip.text}</span>
            ) : (
              <a class={chip.row.runnable ? 'chip' : 'chip behind'} href={links.tx(chip.row.hash)}>
                {chip.text}
              </a>
            )}
          </li>
        ))}
        {unshown > 0 && (
          <li class="note">
            {unshown === waiting ? plural(waiting, 'transaction') : `and ${count(unshown)} more`}
          </li>
        )}
      </ol>
      <table class="waiting sent">
        <tbody>
          {transactions.slice(pages.first, pages.end).map((row) => (
            <tr key={row.hash} data-row={row.hash} data-href={links.tx(row.hash)} tabIndex={-1}>
              <td class="nonce">
                <span class="state">
                  <Mark state="queued" />
                  {row.nonce}
                </span>
              </td>
              <td>
                <TxHash hash={row.hash} />
              </td>
              <td class="clip">
                <CallWords row={row} />
              </td>
              <td class="note wide">{row.runnable ? 'next tick' : 'behind the gap'}</td>
              <td class="number">
                <Confirmed
                  label="Drop"
                  question="Drop it?"
                  params={{ name: 'drop', hash: row.hash }}
                  done="The transaction is dropped."
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {pages.pages > 1 && (
        <p class="pad">
          <Pager of={pages} />
        </p>
      )}
    </section>
  )
}

interface Chip {
  readonly key: string
  readonly text: string
  /** `undefined` for a nonce that is missing. */
  readonly row?: WaitingRow
}

/** All nonces in order, those that are missing too. */
function chipsOf({ transactions, gaps }: MempoolSender): readonly Chip[] {
  const chips: (Chip & { readonly nonce: number })[] = transactions
    .slice(0, MAX_CHIPS)
    .map((row) => ({ key: row.hash, nonce: row.nonce, text: String(row.nonce), row }))
  const last = chips.at(-1)?.nonce ?? 0
  for (const { from, to } of gaps) {
    if (from > last) continue
    if (to - from >= MAX_HOLLOW) {
      chips.push({ key: `g${from}`, nonce: from, text: `${from} to ${to}` })
      continue
    }
    for (let nonce = from; nonce <= to; nonce += 1) {
      chips.push({ key: `g${nonce}`, nonce, text: String(nonce) })
    }
  }
  return chips.sort((first, second) => first.nonce - second.nonce)
}

function Dropped({ rows }: { readonly rows: readonly DroppedRow[] }) {
  const pages = usePages(rows.length, DROPPED_ROWS)
  return (
    <Panel title="Dropped" more={<Pager of={pages} />}>
      <table class="waiting">
        <tbody>
          {rows.slice(pages.first, pages.end).map(({ hash, reason }) => (
            <tr key={hash} data-row={hash} data-href={links.tx(hash)} tabIndex={-1}>
              <td class="nonce">
                <StateGlyph state="dropped" />
              </td>
              <td class="struck">
                <TxHash hash={hash} />
              </td>
              <td class="note wrap">
                <Untrusted text={reason} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}
