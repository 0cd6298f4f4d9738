import type { TransactionFilter } from '../../dashboard/transactionMatcher.ts'
import { count } from '../kit/shownValue.ts'
import { FilterField, filterText } from './filterField.tsx'
import { FoundRows } from './foundRows.tsx'
import { NoneYet } from './noneYet.tsx'
import { Mark, STATE_WORDS } from './parts.tsx'
import { links, navigate, search } from './router.ts'
import { state } from './store.ts'
import { useTransactions } from './transactionList.ts'
import { TransactionRows } from './transactionRows.tsx'
import { useHold } from './useHeld.ts'
import { maxRows } from './virtualRows.tsx'

const STATES = ['queued', 'preconfirmed', 'sealed', 'dropped'] as const

export function TransactionsView() {
  const query = search.value
  const filter = filterOf(query)
  const given = query.get('from')
  const from = given !== null && /^\d+$/.test(given) ? Number(given) : undefined
  const counts = state.value?.counts
  return (
    <>
      <div class="title">
        <h1>Transactions</h1>
        {/* Of those that pass a filter, nobody knows the number before all are searched. */}
        {filter === undefined && counts !== undefined && (
          <span class="note">{count(counts.end - counts.first)}</span>
        )}
        <FilterField query={query} />
      </div>
      <States query={query} />
      {filter === undefined ? (
        <AllRows key={from} from={from} />
      ) : (
        <FoundRows key={JSON.stringify(filter)} filter={filter} />
      )}
    </>
  )
}

function AllRows({ from }: { readonly from: number | undefined }) {
  const [isHeld, holding] = useHold()
  const list = useTransactions(from, isHeld)
  const limit = maxRows()
  if (list.isLoaded && list.count === 0) return <NoneYet />
  return (
    <>
      <TransactionRows list={list} isHeld={isHeld} holding={holding} />
      {list.count > limit && (
        <p class="pad">
          <a href={links.txs({ from: String((from ?? state.value?.counts.end ?? 0) - limit) })}>
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
  const text = filterText(query)
  const filter: TransactionFilter = {
    ...(state !== undefined && { state }),
    ...(query.get('reverted') !== null && { reverted: query.get('reverted') !== 'false' }),
    ...(text !== '' && { text }),
  }
  return Object.keys(filter).length === 0 ? undefined : filter
}

function States({ query }: { readonly query: URLSearchParams }) {
  const state = query.get('state')
  const isReverted = query.get('reverted') === 'true'
  const without = (...names: string[]) => [...query].filter(([name]) => !names.includes(name))
  const choose = (name: string, value: string | undefined) => {
    const others = without(name, 'from')
    navigate(
      links.txs(Object.fromEntries(value === undefined ? others : [...others, [name, value]])),
    )
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset needs a legend that is seen
    <div class="filters choices" role="group" aria-label="State">
      <button
        type="button"
        class="choice"
        aria-pressed={state === null && !isReverted}
        onClick={() => navigate(links.txs(Object.fromEntries(without('state', 'reverted'))))}
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
          {STATE_WORDS[one]}
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
    </div>
  )
}
