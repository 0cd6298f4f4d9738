import { useEffect, useReducer, useState } from 'preact/hooks'
import type { ExecutedRow } from '../../dashboard/rows.ts'
import type { TransactionFilter } from '../../dashboard/transactionMatcher.ts'
import { reasonOf } from '../../primitives/errors.ts'
import { LostError } from '../kit/link.ts'
import { type Answer, call, link, revision, status, undos } from './store.ts'
import { isFollowing, keptRows, type TransactionList, topRows } from './transactionList.ts'

/** A list of those that pass a filter. */
export interface FoundList extends TransactionList {
  /** The node's sentence, if it refused the filter. */
  readonly error: string | undefined
  /** `undefined` once there is nothing left to look at. */
  readonly progress: Progress | undefined
}

export interface Progress {
  /** Block down to which the node has looked. */
  readonly block: number
  /** Part of the chain that it has looked at, 0 to 1. */
  readonly share: number
}

/** State of a search in one moment. */
interface Found {
  readonly head: Answer<'transactions'>
  /** Newest first. */
  readonly rows: readonly ExecutedRow[]
}

/** Rows that an answer has at most, and that are kept. */
const LIMIT = 200
const MAX_ROWS = 20_000

/**
 * A search through the chain, from its end. It keeps what it has looked at: of new traffic it asks
 * only for what came since, and it goes on as far as the rows in view.
 */
class Search {
  readonly filter: TransactionFilter
  onChange = () => {}
  /** True while a person is about to use a row of the list. */
  isHeld = false
  isGone = false
  range = { first: 0, last: 0 }
  undone = undos.peek()
  shown: Found | undefined
  latest: Found | undefined
  /** Position at which to go on; `null` if all was looked at. */
  next: number | null = null
  searchedTo: number | null = null
  error: string | undefined
  #isRunning = false
  #isStale = false

  constructor(filter: TransactionFilter) {
    this.filter = filter
  }

  get top() {
    return topRows(this.shown?.head, this.filter.state === 'dropped')
  }

  /** Looks further: one question at a time. @param isStale - whether to look for new ones, too */
  async run(isStale: boolean): Promise<void> {
    this.#isStale ||= isStale
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      while (!this.isGone && this.error === undefined && (this.#isStale || this.#wantsMore)) {
        await (this.#isStale ? this.#newer() : this.#older())
        const isFree = isFollowing(this.range.first, this.isHeld)
        if (this.shown === undefined || isFree) this.shown = this.latest
        this.onChange()
      }
    } catch (error) {
      // After a lost connection, the next one goes on.
      if (!(error instanceof LostError)) this.error = reasonOf(error)
      this.onChange()
    } finally {
      this.#isRunning = false
    }
  }

  /** True if rows are in view that are not found yet. */
  get #wantsMore(): boolean {
    return this.next !== null && this.range.last >= this.top.length + (this.shown?.rows.length ?? 0)
  }

  async #newer(): Promise<void> {
    this.#isStale = false
    const { latest, filter, undone } = this
    const since = latest && { sealedEnd: latest.head.sealedEnd, end: latest.head.end }
    const head = await call('transactions', { filter, limit: LIMIT, ...(since && { since }) })
    if (undone !== this.undone) return
    // If too much is new, the search begins anew.
    const isWhole = latest !== undefined && head.next === null
    const isKept = ({ position }: ExecutedRow) => position < head.oldest && position >= head.first
    const rows = [...head.rows, ...(isWhole ? latest.rows.filter(isKept) : [])]
    const last = rows[MAX_ROWS]
    if (!isWhole) [this.next, this.searchedTo] = [head.next, head.searchedTo]
    else if (last !== undefined) this.next = last.position
    else if (this.next !== null && this.next >= head.oldest) this.next = head.oldest - 1
    this.latest = { head, rows: rows.slice(0, MAX_ROWS) }
  }

  async #older(): Promise<void> {
    const { latest, filter, next } = this
    if (latest === undefined || next === null) return
    const answer = await call('transactions', { filter, limit: LIMIT, from: next })
    if (this.latest !== latest) return
    const isSame = this.shown?.rows.at(-1) === latest.rows.at(-1)
    const add = ({ head, rows }: Found): Found => ({ head, rows: [...rows, ...answer.rows] })
    this.latest = add(latest)
    if (this.shown !== undefined && isSame) this.shown = add(this.shown)
    this.next = answer.next
    this.searchedTo = answer.searchedTo
  }
}

/** Transactions that pass a filter, newest first. @param filter - the same at each call */
export function useFound(filter: TransactionFilter, isHeld: boolean): FoundList {
  const [search] = useState(() => keptRows(JSON.stringify(filter), () => new Search(filter)))
  const [, redraw] = useReducer((times: number) => times + 1, 0)
  const [cause, undone, isLive] = [revision.value, undos.value, link.value === 'live']
  search.isHeld = isHeld
  useEffect(() => {
    search.isGone = false
    search.onChange = () => redraw(undefined)
    return () => {
      search.isGone = true
    }
  }, [])
  useEffect(() => {
    if (undone !== search.undone) Object.assign(search, { undone, ...NOTHING })
    if (isLive) search.run(true)
  }, [cause, undone, isLive, isHeld])

  const { shown, latest, next, top } = search
  const sealed = status.value?.latest.number ?? 0
  const rows = shown?.rows ?? []
  const { first = 0, end = 0 } = latest?.head ?? {}
  const older = latest?.rows.findIndex(({ position }) => position < (shown?.head.end ?? 0)) ?? 0
  return {
    count: top.length + rows.length + (next === null ? 0 : 1),
    at(index) {
      const row = index < top.length ? top[index] : rows[index - top.length]
      const isSealed = row?.state === 'preconfirmed' && row.block <= sealed
      return isSealed ? { ...row, state: 'sealed' } : row
    },
    show(first, last) {
      search.range = { first, last }
      search.run(false)
    },
    missed: older < 0 ? (latest?.rows.length ?? 0) : older,
    refresh() {
      search.shown = latest
      redraw(undefined)
    },
    isLoaded: shown !== undefined,
    error: search.error,
    progress:
      next === null
        ? undefined
        : { block: search.searchedTo ?? 0, share: (end - 1 - next) / Math.max(1, end - first) },
  }
}

const NOTHING = { shown: undefined, latest: undefined, next: null, error: undefined }
