import { useState } from 'preact/hooks'
import type { DroppedRow, TransactionFilter } from '../../dashboard/apiTypes/transactionTypes.ts'
import { short } from '../../primitives/visible.ts'
import { Untrusted } from '../kit/elements.tsx'
import { age, count } from '../kit/shownValue.ts'
import { CallWords } from './callWords.tsx'
import { Icon } from './icons.tsx'
import { NoneYet } from './noneYet.tsx'
import { Address, Empty, Ether, FilterInput, Mark, StateGlyph, TxHash } from './parts.tsx'
import { links, navigate, search } from './router.ts'
import { chainTime, state } from './store.ts'
import { type Omitted, type TransactionRow, useTransactions } from './transactionList.ts'
import { maxRows, VirtualRows } from './virtualRows.tsx'

const STATES = ['queued', 'preconfirmed', 'sealed', 'dropped'] as const
const STATE_CHOICES: Readonly<Record<(typeof STATES)[number], string>> = {
  queued: 'Queued',
  preconfirmed: 'Pre-confirmed',
  sealed: 'Sealed',
  dropped: 'Dropped',
}

export function TransactionsView() {
  const query = search.value
  const filter = filterOf(query)
  const given = query.get('from')
  const from = given !== null && /^\d+$/.test(given) ? Number(given) : undefined
  const list = useTransactions(filter, from)
  const counts = state.value?.counts
  const total = counts === undefined ? 0 : counts.end - counts.first
  const limit = maxRows()
  const shown = Math.min(list.count, limit)
  const [top, setTop] = useState(true)

  return (
    <>
      <div class="title">
        <h1>Transactions</h1>
        {/* Of those that pass a filter, nobody knows the number before all are searched. */}
        {filter === undefined && <span class="note">{count(total)}</span>}
        <FilterField query={query} />
      </div>
      <Filters query={query} />
      {list.missed > 0 && !top && (
        <div class="news">
          <button type="button" class="pill" onClick={() => window.scrollTo(0, 0)}>
            {`${count(list.missed)} new ↑`}
          </button>
        </div>
      )}
      {list.isLoaded && list.count === 0 ? (
        filter === undefined ? (
          <NoneYet />
        ) : (
          <div class="panel">
            <Empty title="No transaction passes this filter." />
          </div>
        )
      ) : (
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
              <th class="c-call">Call</th>
              <th class="c-value number">Value</th>
              <th class="c-gas number">Gas</th>
              <th class="c-age number">Age</th>
            </tr>
          </thead>
          <VirtualRows
            count={shown}
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
                  <td class="loading">
                    {list.searchedTo === null
                      ? '…'
                      : `Searched back to #${count(list.searchedTo)}…`}
                  </td>
                </tr>
              ) : (
                <Row key={row.hash} row={row} index={index} y={y} />
              )
            }}
          />
        </table>
      )}
      {list.count > limit && (
        <p class="pad">
          <a href={links.txs({ from: String((from ?? counts?.end ?? 0) - limit) })}>
            Older transactions
          </a>
        </p>
      )}
    </>
  )
}

/** The filter in the query string; `undefined` if there is none. */
function filterOf(query: URLSearchParams): TransactionFilter | undefined {
  const state = STATES.find((one) => one === query.get('state'))
  const address = query.get('address')?.toLowerCase()
  const contract = query.get('contract')
  const name = query.get('function')
  const filter: TransactionFilter = {
    ...(state !== undefined && { state }),
    ...(query.get('reverted') !== null && { reverted: query.get('reverted') !== 'false' }),
    ...(isAddress(address) && { address }),
    ...(contract !== null && { contract }),
    ...(name !== null && { function: name }),
  }
  return Object.keys(filter).length === 0 ? undefined : filter
}

function isAddress(text: string | undefined): text is `0x${string}` {
  return text !== undefined && /^0x[0-9a-f]{40}$/.test(text)
}

/** The filter that a person typed: an address, `Contract`, `function` or `Contract.function`. */
function typedFilter(text: string): Readonly<Record<string, string>> {
  const typed = text.trim().replace(/\(.*$/s, '')
  if (typed === '') return {}
  if (isAddress(typed.toLowerCase())) return { address: typed.toLowerCase() }
  const [contract = '', name] = typed.split('.')
  if (name !== undefined) return name === '' ? { contract } : { contract, function: name }
  return /^[A-Z]/.test(typed) ? { contract: typed } : { function: typed }
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
        <td class="c-reason">
          <Untrusted text={row.reason} />
        </td>
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
        <CallWords row={row} />
      </td>
      <td class="c-value number">
        {row.value === '0' ? <span class="note">0</span> : <Ether wei={BigInt(row.value)} />}
      </td>
      <td class="c-gas number">{isExecuted ? count(row.gasUsed) : <span class="note">—</span>}</td>
      <td class="c-age number note">
        {isExecuted ? age(Math.max(0, chainTime.value - row.timestamp * 1_000)) : '—'}
      </td>
    </tr>
  )
}

type SentRow = Exclude<TransactionRow, DroppedRow | Omitted>

function Recipient({ row }: { readonly row: SentRow }) {
  if (row.to !== null) return <Address address={row.to} />
  const created = 'created' in row ? row.created : null
  return created === null ? <span class="note">new contract</span> : <Address address={created} />
}

/** The filter in the query string, as text. */
function fieldsOf(query: URLSearchParams): Readonly<Record<string, string>> {
  return Object.fromEntries([...query].filter(([name]) => name !== 'from'))
}

function Filters({ query }: { readonly query: URLSearchParams }) {
  const fields = fieldsOf(query)
  const state = query.get('state')
  const isReverted = query.get('reverted') === 'true'
  const typed = ['address', 'contract', 'function'].flatMap((name) => {
    const value = query.get(name)
    return value === null ? [] : [{ name, value }]
  })
  const without = (names: readonly string[]) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
  const choose = (name: string, value: string | undefined) =>
    navigate(links.txs({ ...without([name]), ...(value !== undefined && { [name]: value }) }))
  return (
    <div class="filters">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset needs a legend that is seen */}
      <div class="choices" role="group" aria-label="State">
        <button
          type="button"
          class="choice"
          aria-pressed={state === null && !isReverted}
          onClick={() => navigate(links.txs(without(['state', 'reverted'])))}
        >
          All
        </button>
        {STATES.map((one) => (
          <button
            key={one}
            type="button"
            class="choice"
            aria-pressed={state === one}
            onClick={() => choose('state', state === one ? undefined : one)}
          >
            <Mark state={one} />
            {STATE_CHOICES[one]}
          </button>
        ))}
        <button
          type="button"
          class="choice"
          aria-pressed={isReverted}
          onClick={() => choose('reverted', isReverted ? undefined : 'true')}
        >
          <Mark state="sealed" reverted={true} />
          Reverted
        </button>
        {typed.map(({ name, value }) => (
          <button
            key={name}
            type="button"
            class="choice"
            aria-pressed="true"
            aria-label={`Remove the filter ${name} ${value}`}
            onClick={() => choose(name, undefined)}
          >
            <span class="note">{name}</span>
            <Untrusted text={name === 'address' ? short(value) : value} />
            <Icon name="close" />
          </button>
        ))}
      </div>
    </div>
  )
}

function FilterField({ query }: { readonly query: URLSearchParams }) {
  const [text, setText] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const added = typedFilter(text)
        setText('')
        if (Object.keys(added).length > 0) navigate(links.txs({ ...fieldsOf(query), ...added }))
      }}
    >
      <FilterInput
        label="Filter by address, contract or function"
        placeholder="Filter: address, contract, function"
        text={text}
        onText={setText}
      />
    </form>
  )
}
