import { useEffect, useReducer, useRef } from 'preact/hooks'
import type {
  DroppedRow,
  ExecutedRow,
  TransactionFilter,
  TransactionsAnswer,
  WaitingRow,
} from '../../dashboard/apiTypes/transactionTypes.ts'
import { LostError, sentenceOf } from '../kit/link.ts'
import { call, failure, link, revision, state, status, undos } from './store.ts'

/** Stands for rows of a state that are not listed. */
export interface Omitted {
  readonly state: 'queued' | 'dropped'
  readonly omitted: number
}

export type TransactionRow = ExecutedRow | WaitingRow | DroppedRow | Omitted

export interface TransactionList {
  readonly count: number
  /** `undefined` while it is being loaded. */
  at(index: number): TransactionRow | undefined
  /** Loads what is in view. */
  show(first: number, last: number): void
  /** Number of transactions that have come since the list was last at its top. */
  readonly missed: number
  /** Block down to which a filter has looked; `null` if there is nothing left to look at. */
  readonly searchedTo: number | null
  readonly isLoaded: boolean
}

/** Rows of a page, and how many pages are kept. */
const PAGE = 100
const MAX_PAGES = 50
/** Dropped ones above all others, of which each has gone for good; a filter shows the rest. */
const MOST_DROPPED = 3
/** Rows that are asked for with each change while the top of the list is in view. */
const HEAD = 60

/**
 * Knowledge of the list; it lives outside of the components' state, as most of it is not in view.
 */
class Rows {
  head: TransactionsAnswer | undefined
  /** Rows by page, the one used last at the end; of a filter: all that were found. */
  readonly pages = new Map<number, readonly ExecutedRow[]>()
  found: readonly ExecutedRow[] = []
  next: number | null = null
  searchedTo: number | null = null
  readonly loading = new Set<number>()

  clear(): void {
    this.pages.clear()
    this.found = []
    this.next = null
    this.searchedTo = null
  }

  take(head: TransactionsAnswer): void {
    this.head = head
    this.found = head.rows
    this.next = head.next
    this.searchedTo = head.searchedTo
  }

  keep(page: number, rows: readonly ExecutedRow[]): void {
    this.pages.delete(page)
    this.pages.set(page, rows)
    const [oldest] = this.pages.keys()
    if (this.pages.size > MAX_PAGES && oldest !== undefined) this.pages.delete(oldest)
  }

  at(position: number): ExecutedRow | undefined {
    const inHead = this.found[(this.found[0]?.position ?? -1) - position]
    const rows = this.pages.get(Math.floor(position / PAGE))
    const inPage = rows?.[(rows[0]?.position ?? -1) - position]
    return inPage?.state === 'sealed' ? inPage : (inHead ?? inPage)
  }
}

/**
 * All transactions, newest first. While the top of the list is in view it follows the chain;
 * otherwise it stays as it is, so that nothing moves under the reader.
 *
 * @param filter - `undefined` for all: any row is found by its position then
 * @param from - position of the newest one to show
 */
export function useTransactions(
  filter: TransactionFilter | undefined,
  from: number | undefined,
): TransactionList {
  const rows = useRef(new Rows()).current
  const [, redraw] = useReducer((times: number) => times + 1, 0)
  const range = useRef({ first: 0, last: 0 })
  const work = useRef({ isAsking: false, isStale: false, isGone: false, key: '' })
  const key = JSON.stringify([filter, from])
  if (work.current.key !== key) {
    work.current.key = key
    rows.clear()
    rows.head = undefined
    range.current = { first: 0, last: 0 }
  }
  const head = { ...(filter !== undefined && { filter }), ...(from !== undefined && { from }) }

  /** Asks for the newest rows: one question at a time. */
  async function follow(): Promise<void> {
    work.current.isStale = true
    if (work.current.isAsking) return
    work.current.isAsking = true
    try {
      while (work.current.isStale && !work.current.isGone) {
        work.current.isStale = false
        const asked = work.current.key
        const answer = await call('transactions', { ...latest.current.head, limit: HEAD })
        if (work.current.isGone) return
        if (asked !== work.current.key) {
          work.current.isStale = true
          continue
        }
        rows.take(answer)
        redraw(undefined)
      }
    } catch (error) {
      tell(error)
    } finally {
      work.current.isAsking = false
    }
  }
  const latest = useRef({ head, follow })
  latest.current = { head, follow }

  const [cause, undone, isLive] = [revision.value, undos.value, link.value === 'live']
  useEffect(() => {
    rows.clear()
    if (isLive) follow()
  }, [key, undone, isLive])
  useEffect(() => {
    const isFollowing = range.current.first === 0 && from === undefined && window.scrollY < TOP
    const hasMore = filter !== undefined && rows.found.length > HEAD
    if (isLive && isFollowing && !hasMore) follow()
    else show(range.current.first, range.current.last)
  }, [cause])
  useEffect(
    () => () => {
      work.current.isGone = true
    },
    [],
  )

  const top = topRows(rows.head, filter?.state === 'dropped')
  const above = top.length
  const newest =
    from === undefined ? (rows.head?.end ?? 0) - 1 : Math.min(from, (rows.head?.end ?? 0) - 1)
  const executed = Math.max(0, newest + 1 - (rows.head?.first ?? 0))

  function show(first: number, last: number): void {
    range.current = { first, last }
    if (rows.head === undefined) return
    if (filter !== undefined) {
      if (rows.next !== null && last >= above + rows.found.length) loadMore(rows.next)
      return
    }
    const [newer, older] = [newest - Math.max(0, first - above), newest - Math.max(0, last - above)]
    for (
      let page = Math.floor(newer / PAGE);
      page >= Math.floor(Math.max(0, older) / PAGE);
      page -= 1
    ) {
      if (isNeeded(page, Math.min(newer, (page + 1) * PAGE - 1), Math.max(older, page * PAGE, 0))) {
        loadPage(page)
      }
    }
  }

  /** True if rows of a page are missing, or say pre-confirmed of what was sealed since. */
  function isNeeded(page: number, from: number, to: number): boolean {
    if (rows.loading.has(page)) return false
    const sealed = status.peek()?.latest.number ?? 0
    for (let position = from; position >= to; position -= 1) {
      const row = rows.at(position)
      if (row === undefined || (row.state === 'preconfirmed' && row.block <= sealed)) return true
    }
    return false
  }

  async function loadPage(page: number): Promise<void> {
    rows.loading.add(page)
    try {
      const answer = await call('transactions', { from: (page + 1) * PAGE - 1, limit: PAGE })
      rows.keep(page, answer.rows)
      redraw(undefined)
    } catch (error) {
      tell(error)
    } finally {
      rows.loading.delete(page)
    }
  }

  /** Looks further for rows that pass the filter. */
  async function loadMore(before: number): Promise<void> {
    if (rows.loading.has(before)) return
    rows.loading.add(before)
    const asked = work.current.key
    try {
      const answer = await call('transactions', { ...head, from: before, limit: 2 * PAGE })
      if (asked !== work.current.key || rows.next !== before) return
      rows.found = [...rows.found, ...answer.rows]
      rows.next = answer.next
      rows.searchedTo = answer.searchedTo
      redraw(undefined)
    } catch (error) {
      tell(error)
    } finally {
      rows.loading.delete(before)
    }
  }

  const isFiltered = filter !== undefined
  return {
    count: above + (isFiltered ? rows.found.length + (rows.next === null ? 0 : 1) : executed),
    at(index) {
      if (index < above) return top[index]
      return isFiltered ? rows.found[index - above] : rows.at(newest - (index - above))
    },
    show,
    missed:
      from === undefined && rows.head !== undefined
        ? Math.max(0, (state.value?.counts.end ?? 0) - rows.head.end)
        : 0,
    searchedTo: isFiltered && rows.next !== null ? rows.searchedTo : null,
    isLoaded: rows.head !== undefined,
  }
}

/** Rows without a position: those that wait, and then those that were dropped last. */
function topRows(
  head: TransactionsAnswer | undefined,
  areAllDropped: boolean,
): readonly TransactionRow[] {
  const { waiting = [], omittedWaiting = 0, dropped = [] } = head ?? {}
  const shown = areAllDropped ? dropped : dropped.slice(0, MOST_DROPPED)
  const left = dropped.length - shown.length
  return [
    ...waiting,
    ...(omittedWaiting > 0 ? [{ state: 'queued', omitted: omittedWaiting } as const] : []),
    ...shown,
    ...(left > 0 ? [{ state: 'dropped', omitted: left } as const] : []),
  ]
}

/** px of scrolling within which the top of the list counts as in view. */
const TOP = 200

/** A lost connection asks again by itself. */
function tell(error: unknown): void {
  if (error instanceof LostError) return
  failure.value = sentenceOf(error)
}
