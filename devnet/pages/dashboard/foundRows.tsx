import type { TransactionFilter } from '../../dashboard/transactionMatcher.ts'
import { Untrusted } from '../kit/elements.tsx'
import { count } from '../kit/shownValue.ts'
import { type Progress, useFound } from './foundTransactions.ts'
import { Missing } from './parts.tsx'
import { state, status } from './store.ts'
import { TransactionRows } from './transactionRows.tsx'
import { useHold } from './useHeld.ts'

/** Transactions that pass a filter. */
export function FoundRows({ filter }: { readonly filter: TransactionFilter }) {
  const [isHeld, holding] = useHold()
  const list = useFound(filter, isHeld)
  const { error, progress } = list
  if (error === undefined && (!list.isLoaded || list.count > 0)) {
    return (
      <TransactionRows
        list={list}
        isHeld={isHeld}
        holding={holding}
        wait={progress && <Searched {...progress} />}
      />
    )
  }
  const counts = state.value?.counts
  return (
    <Missing title={error ?? 'No transaction passes this filter.'}>
      {error === undefined && counts !== undefined && (
        <>
          <Untrusted text={filter.text ?? ''} />
          {` Looked at all ${count(counts.end - counts.first)}; new ones appear here.`}
        </>
      )}
    </Missing>
  )
}

function Searched({ block, share }: Progress) {
  const words = `block ${count(block)} of ${count(status.value?.latest.number ?? block)}`
  return (
    <>
      {`Searching: ${words} `}
      <progress value={share} aria-label="Part of the chain that is searched" />
    </>
  )
}
