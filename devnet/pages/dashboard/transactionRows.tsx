import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { DroppedRow } from '../../dashboard/waitingRows.ts'
import { visible } from '../../primitives/visible.ts'
import { Untrusted } from '../kit/elements.tsx'
import { age, count } from '../kit/shownValue.ts'
import { CallWords } from './callWords.tsx'
import { Address, Ether, Mark, StateGlyph, TxHash } from './parts.tsx'
import { links } from './router.ts'
import { chainTime } from './store.ts'
import type { Omitted, TransactionList, TransactionRow } from './transactionList.ts'
import type { Holding } from './useHeld.ts'
import { maxRows, VirtualRows } from './virtualRows.tsx'

interface RowsProps {
  readonly list: TransactionList
  readonly isHeld: boolean
  readonly holding: Holding
  /** Stands for a row that is not there yet. */
  readonly wait?: ComponentChildren
}

/** The table of a list of transactions, of which only rows in view are there. */
export function TransactionRows({ list, isHeld, holding, wait = '…' }: RowsProps) {
  const [top, setTop] = useState(true)
  return (
    <div {...holding}>
      {list.missed > 0 && (isHeld || !top) && (
        <div class="news">
          <button
            type="button"
            class="pill"
            onClick={() => {
              list.refresh()
              window.scrollTo(0, 0)
            }}
          >
            {`${count(list.missed)} new ↑`}
          </button>
        </div>
      )}
      <table class="panel list transactions" aria-rowcount={list.count + 1}>
        <thead>
          <tr class="row head">
            <th class="c-state">
              <span class="unseen">State</span>
            </th>
            <th class="c-hash">Hash</th>
            <th class="c-place">Block · tick</th>
            <th class="c-from">From</th>
            <th class="c-to">To</th>
            <th class="c-call">
              <span>Method</span>
              <span class="args">Arguments</span>
            </th>
            <th class="c-value number">Value</th>
            <th class="c-gas number">Gas</th>
            <th class="c-age number">Age</th>
          </tr>
        </thead>
        <VirtualRows
          count={Math.min(list.count, maxRows())}
          onRange={(first, last) => {
            setTop(first === 0)
            list.show(first, last)
          }}
          row={(index, y) => {
            const row = list.at(index)
            if (row !== undefined && 'omitted' in row) {
              return <OmittedRow key={`o${row.state}`} row={row} y={y} />
            }
            return row === undefined ? (
              <tr key={`l${index}`} class="row" style={{ top: `${y}px` }}>
                <td class="loading">{wait}</td>
              </tr>
            ) : (
              <Row key={row.hash} row={row} index={index} y={y} />
            )
          }}
        />
      </table>
    </div>
  )
}

/** Stands for rows of a state that are not listed. */
function OmittedRow({ row: { state, omitted }, y }: { readonly row: Omitted; readonly y: number }) {
  const href = state === 'queued' ? links.view('mempool') : links.txs({ state })
  const words = state === 'queued' ? 'more wait' : 'more were dropped'
  return (
    <tr class="row" style={{ top: `${y}px` }}>
      <td class="c-state">
        <Mark state={state} />
      </td>
      <td class="c-more">
        <a href={href}>{`${count(omitted)} ${words}`}</a>
      </td>
    </tr>
  )
}

interface RowProps {
  readonly row: Exclude<TransactionRow, Omitted>
  readonly index: number
  readonly y: number
}

function Row({ row, index, y }: RowProps) {
  const place = {
    'data-row': row.hash,
    'data-href': links.tx(row.hash),
    'aria-rowindex': index + 2,
    tabIndex: -1,
    style: { top: `${y}px` },
  }
  if (row.state === 'dropped') {
    return (
      <tr class="row" {...place}>
        <td class="c-state">
          <StateGlyph state="dropped" />
        </td>
        <td class="c-hash">
          <TxHash hash={row.hash} />
        </td>
        <Untrusted within="td" class="c-reason" text={row.reason} />
      </tr>
    )
  }
  const isExecuted = row.state !== 'queued'
  const reverted = isExecuted && row.reverted
  return (
    <tr class={reverted ? 'row reverted' : 'row'} {...place}>
      <td class="c-state">
        <StateGlyph state={row.state} reverted={reverted} />
      </td>
      <td class="c-hash">
        <TxHash hash={row.hash} />
      </td>
      <td class="c-place">
        {isExecuted ? (
          <a href={links.block(row.state === 'sealed' ? row.block : 'pending')}>
            {`#${row.block} · ${row.tick}`}
          </a>
        ) : (
          <span class="note">{row.runnable ? 'next tick' : 'nonce gap'}</span>
        )}
      </td>
      <td class="c-from">
        <Address address={row.from} />
      </td>
      <td class="c-to">
        <Recipient row={row} />
      </td>
      <td class="c-call">
        <Call row={row} />
      </td>
      <td class="c-value number">
        {row.value === '0' ? (
          <span class="note">0</span>
        ) : (
          <Ether wei={BigInt(row.value)} isListed={true} />
        )}
      </td>
      <td class="c-gas number">{isExecuted ? count(row.gasUsed) : <span class="note">—</span>}</td>
      <td class="c-age number note">
        {isExecuted ? age(Math.max(0, chainTime.value - row.timestamp * 1_000)) : '—'}
      </td>
    </tr>
  )
}

type SentRow = Exclude<TransactionRow, DroppedRow | Omitted>

/** The method, and then its arguments or the reason of its revert. */
function Call({ row }: { readonly row: SentRow }) {
  const reason = 'reason' in row ? row.reason : null
  const end = row.call?.indexOf('(') ?? -1
  return (
    <>
      {row.call === null || end < 0 ? (
        <CallWords row={row} />
      ) : (
        <span class="call" title={visible(row.call)}>
          <Untrusted class="method" text={row.call.slice(0, end)} />
          <Untrusted class="args" text={row.call.slice(end)} />
        </span>
      )}
      {reason !== null && (
        <Untrusted within="span" class="reason" title={visible(reason)} text={reason} />
      )}
    </>
  )
}

function Recipient({ row }: { readonly row: SentRow }) {
  if (row.to !== null) return <Address address={row.to} />
  const created = 'created' in row ? row.created : null
  return created === null ? <span class="note">new contract</span> : <Address address={created} />
}
