import { useEffect, useReducer, useRef, useState } from 'preact/hooks'
import type { ExecutedRow, WaitingRow } from '../../dashboard/rows.ts'
import type { DroppedRow } from '../../dashboard/waitingRows.ts'
import { setNewest } from '../../primitives/memo.ts'
import { oneAtATime } from '../kit/oneAtATime.ts'
import { historyEntry, isComingBack } from './router.ts'
import { type Answer, call, link, revision, state, status, tell, undos } from './store.ts'

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
  /** Number of transactions that have come, and are not shown yet. */
  readonly missed: number
  /** Shows the missed transactions. */
  refresh(): void
  readonly isLoaded: boolean
}

/** Rows of a page, and how many pages are kept. */
const PAGE = 100
const MAX_PAGES = 50
/** Lists that are kept for the way back to them. */
const MAX_KEPT = 5
/** Dropped ones above all others, of which each has gone for good; a filter shows the rest. */
const MOST_DROPPED = 3
/** Rows that are asked for with each change while the top of the list is in view. */
const HEAD = 60

/**
 * Knowledge of the list; it lives outside of the components' state, as most of it is not in view.
 */
class Rows {
  head: Answer<'transactions'> | undefined
  /** Rows by page, the one used last at the end. */
  readonly pages = new Map<number, readonly ExecutedRow[]>()
  readonly loading = new Set<number>()
  range = { first: 0, last: 0 }
  undone = undos.peek()

  at(position: number): ExecutedRow | undefined {
    const inHead = this.head?.rows[(this.head.rows[0]?.position ?? -1) - position]
    const rows = this.pages.get(Math.floor(position / PAGE))
    const inPage = rows?.[(rows[0]?.position ?? -1) - position]
    return inPage?.state === 'sealed' ? inPage : (inHead ?? inPage)
  }
}

/** The cached rows of a list. */
interface Kept {
  /** {@link undos} when they were asked for: after another one they may be gone. */
  undone: number
}

const kept = new Map<string, Kept>()

/**
 * Rows that outlive their view, so that a person who comes back finds the same ones, whatever has
 * come since.
 *
 * @param key - of the list among all that stand at one place in the history
 */
export function keptRows<Own extends Kept>(key: string, create: () => Own): Own {
  const whole = `${historyEntry().id} ${key}`
  const before = kept.get(whole)
  // One key is always of the same kind of list.
  const rows = before?.undone === undos.peek() ? (before as Own) : create()
  setNewest(kept, whole, rows, MAX_KEPT)
  return rows
}

/** True if the top of a list is in view, and nothing holds it. */
export function isFollowing(first: number, isHeld: boolean): boolean {
  return !isHeld && first === 0 && window.scrollY < TOP && !isComingBack()
}

/**
 * All transactions, newest first. While the top of the list is in view it follows the chain;
 * otherwise it stays as it is, so that nothing moves under the reader.
 *
 * @param from - position of the newest one to show; the same at each call
 * @param isHeld - whether the list stays as it is in any case
 */
export function useTransactions(from: number | undefined, isHeld: boolean): TransactionList {
  const [rows] = useState(() => keptRows(`all ${from}`, () => new Rows()))
  const [, redraw] = useReducer((times: number) => times + 1, 0)
  const work = useRef({ isGone: false, isFirst: true }).current

  /** Asks for the newest rows. */
  const [follow] = useState(() =>
    oneAtATime(async () => {
      if (work.isGone) return
      try {
        const head = from === undefined ? {} : { from }
        const answer = await call('transactions', { ...head, limit: HEAD })
        if (work.isGone) return
        rows.head = answer
        redraw(undefined)
      } catch (error) {
        tell(error)
      }
    }),
  )

  const [cause, undone, isLive] = [revision.value, undos.value, link.value === 'live']
  useEffect(() => {
    const isKept = work.isFirst && rows.head !== undefined
    work.isFirst = false
    if (isKept) return
    rows.undone = undone
    rows.pages.clear()
    if (isLive) follow()
  }, [undone, isLive])
  useEffect(() => {
    if (isLive && from === undefined && isFollowing(rows.range.first, isHeld)) follow()
    else show(rows.range.first, rows.range.last)
  }, [cause, isHeld])
  useEffect(
    () => () => {
      work.isGone = true
    },
    [],
  )

  const top = topRows(rows.head, false)
  const above = top.length
  const end = rows.head?.end ?? 0
  const newest = Math.min(from ?? end - 1, end - 1)

  function show(first: number, last: number): void {
    rows.range = { first, last }
    if (rows.head === undefined) return
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

  /** True if rows of a page are missing, or still show sealed transactions as pre-confirmed. */
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
      setNewest(rows.pages, page, answer.rows, MAX_PAGES)
      redraw(undefined)
    } catch (error) {
      tell(error)
    } finally {
      rows.loading.delete(page)
    }
  }

  return {
    count: above + Math.max(0, newest + 1 - (rows.head?.first ?? 0)),
    at: (index) => (index < above ? top[index] : rows.at(newest - (index - above))),
    show,
    missed:
      from === undefined && rows.head !== undefined
        ? Math.max(0, (state.value?.counts.end ?? 0) - end)
        : 0,
    refresh: follow,
    isLoaded: rows.head !== undefined,
  }
}

/** Rows without a position: those that wait, and then those that were dropped last. */
export function topRows(
  head: Answer<'transactions'> | undefined,
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
