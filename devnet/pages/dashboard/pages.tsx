import { useState } from 'preact/hooks'
import { count } from '../kit/shownValue.ts'

type Pages = ReturnType<typeof usePages>

/**
 * Shows a long list a page at a time, so that few rows are in the document.
 *
 * @returns also the indices of the rows to show: from `first` to before `end`
 */
export function usePages(total: number, size: number) {
  const [wanted, turnTo] = useState(0)
  const pages = Math.max(1, Math.ceil(total / size))
  // A list can become shorter.
  const page = Math.min(wanted, pages - 1)
  const first = page * size
  return { first, end: Math.min(total, first + size), page, pages, total, turnTo }
}

/** The buttons of a list in pages; none if it has one page. */
export function Pager({ of: { first, end, page, pages, total, turnTo } }: { readonly of: Pages }) {
  if (pages === 1) return <span class="note">{count(total)}</span>
  return (
    <span class="pager">
      <button
        type="button"
        class="button small"
        disabled={page === 0}
        onClick={() => turnTo(page - 1)}
      >
        Previous
      </button>
      <span class="note">{`${count(first + 1)} to ${count(end)} of ${count(total)}`}</span>
      <button
        type="button"
        class="button small"
        disabled={page + 1 >= pages}
        onClick={() => turnTo(page + 1)}
      >
        Next
      </button>
    </span>
  )
}
