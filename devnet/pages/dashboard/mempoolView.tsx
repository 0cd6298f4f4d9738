import type { MempoolSender } from '../../dashboard/methods/mempool.ts'
import type { WaitingRow } from '../../dashboard/rows.ts'
import type { DroppedRow } from '../../dashboard/waitingRows.ts'
import { Untrusted } from '../kit/elements.tsx'
import { age, count, plural } from '../kit/shownValue.ts'
import { CallWords } from './callWords.tsx'
import { Confirmed } from './confirmed.tsx'
import { waitingWords } from './gapWords.ts'
import { Pager, usePages } from './pages.tsx'
import { Address, Ether, Gwei, Mark, Missing, Panel, StateGlyph, TxHash } from './parts.tsx'
import { links } from './router.ts'
import { isTimeFrozen, now, status } from './store.ts'
import { useAnswer } from './useAnswer.ts'

export function MempoolView() {
  const { answer, error } = useAnswer('mempool', {})
  const pages = usePages(answer?.senders.length ?? 0, SENDERS)
  if (error !== undefined) return <p class="alert">{error}</p>
  if (answer === undefined) return <p class="note">Loading…</p>
  const { senders, omitted, dropped, runnable, waiting } = answer
  const baseFee = BigInt(answer.baseFeePerGas)
  const areTicksFrozen = status.value?.ticks.running === false && status.value.instant === false
  return (
    <>
      <div class="title">
        <h1>Mempool</h1>
        {runnable > 0 && <span class="badge queued">{`${count(runnable)} runnable`}</span>}
        {waiting > 0 && <span class="badge late">{`${count(waiting)} behind a gap`}</span>}
        <span class="note">
          base fee <Gwei wei={baseFee} />
        </span>
        {areTicksFrozen && runnable > 0 && !isTimeFrozen.value && (
          <span class="note">Ticks are frozen.</span>
        )}
      </div>
      {senders.length === 0 ? (
        <Missing title="Nothing waits.">What is sent is executed with the next tick.</Missing>
      ) : (
        senders
          .slice(pages.first, pages.end)
          .map((sender) => <Sender key={sender.address} sender={sender} baseFee={baseFee} />)
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
/** Maximum number of nonces that are drawn as chips. */
const MAX_CHIPS = 40
/** Maximum number of missing nonces that are drawn one by one. */
const MAX_HOLLOW = 3

interface SenderProps {
  readonly sender: MempoolSender
  /** wei. */
  readonly baseFee: bigint
}

function Sender({ sender, baseFee }: SenderProps) {
  const { address, next, count: waiting, transactions, gaps } = sender
  const pages = usePages(transactions.length, ROWS)
  const behind = transactions.filter(({ runnable }) => !runnable).length
  const unshown = waiting - Math.min(MAX_CHIPS, transactions.length)
  return (
    <section class="panel sender" aria-label={`Sender ${address}`}>
      <header>
        <Address address={address} />
        <span class="note">{`next nonce ${count(next)}`}</span>
        {gaps.length > 0 && behind > 0 && <span class="gap">{waitingWords(gaps, behind)}</span>}
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
        <thead>
          <tr>
            <th>Nonce</th>
            <th>Hash</th>
            <th>Call</th>
            <th class="number wide">Value</th>
            <th class="number wide wider">Max fee</th>
            <th class="number">Age</th>
            <th class="wide">Runs</th>
            <th>
              <span class="unseen">Drop</span>
            </th>
          </tr>
        </thead>
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
              <td class="number wide">
                <Ether wei={BigInt(row.value)} />
              </td>
              <td
                class="number wide wider"
                title="Maximum fee per gas, which has to reach the base fee"
              >
                <Gwei wei={BigInt(row.maxFeePerGas)} />
              </td>
              <td class="number note">
                <Age since={row.accepted} />
              </td>
              <td class="note wide">{stateOf(row, gaps, baseFee)}</td>
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

/** Time since a transaction was accepted, by the wall clock. */
function Age({ since }: { readonly since: number | null }) {
  // Read for the change each second.
  now.value
  return since === null ? '—' : age(Math.max(0, Date.now() - since))
}

/** The time at which a transaction can run, or its obstacle. */
function stateOf(
  { runnable, nonce, maxFeePerGas }: WaitingRow,
  gaps: MempoolSender['gaps'],
  baseFee: bigint,
): string {
  const before = gaps.filter(({ from }) => from < nonce).length
  if (!runnable) return before > 1 ? `behind ${before} gaps` : 'behind the gap'
  return BigInt(maxFeePerGas) < baseFee ? 'base fee too high' : 'next tick'
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
              <Untrusted within="td" class="note wrap" text={reason} />
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}
