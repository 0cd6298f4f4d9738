import { integerWithin, optional, orElse } from '../../primitives/reader.ts'
import { defineQuery, fields } from '../query.ts'
import {
  TRANSACTION_FILTER,
  type TransactionFilter,
  TransactionMatcher,
} from '../transactionMatcher.ts'
import { searchTransactions, searchWaiting } from '../transactionSearch.ts'
import { droppedRows, waitingList, waitingRows } from '../waitingRows.ts'

/** Number of waiting transactions on the first page. */
const MOST_WAITING = 200

const PARAMS = fields({
  /** Position of the newest one wanted: 0 is the oldest of the chain. Default: the newest one */
  from: optional(integerWithin(0)),
  limit: orElse(integerWithin(1, 200), 200),
  /** Number of waiting ones to list. */
  waiting: orElse(integerWithin(0, MOST_WAITING), MOST_WAITING),
  filter: optional<TransactionFilter>(TRANSACTION_FILTER),
  /**
   * Moment of a former answer with the same filter: only transactions that came or were sealed
   * since then are looked at. Default: all
   */
  since: optional(fields({ sealedEnd: integerWithin(0), end: integerWithin(0) })),
})

/** Transactions in all states, newest first. */
export default defineQuery(
  PARAMS,
  async (dashboard, { from, limit, waiting: mostWaiting, filter, since }, { signal }) => {
    const { index } = dashboard
    const { naming } = dashboard.work(signal)
    const matcher = filter && new TransactionMatcher(dashboard, naming, filter)
    await index.sync(signal)
    // In one turn: a transaction that is executed meanwhile is in one of the lists.
    const { first, sealedEnd, end } = index
    const known = since !== undefined && sealedEnd > since.sealedEnd ? since.sealedEnd : since?.end
    const oldest = Math.max(first, known ?? 0)
    const isFirst = from === undefined
    const dropped = isFirst ? droppedRows(dashboard) : []
    const all = isFirst
      ? waitingList(dashboard, matcher ? Number.POSITIVE_INFINITY : mostWaiting)
      : { shown: [], omitted: 0 }
    const range = { from: Math.min(from ?? end - 1, end - 1), oldest, limit }
    const found = await searchTransactions(index, matcher, naming, range, signal)
    const waiting = matcher ? await searchWaiting(all, matcher, naming, mostWaiting) : all
    return {
      first,
      /** Position after that of the newest sealed transaction. */
      sealedEnd,
      /** Position after that of the last pre-confirmed one. */
      end,
      /** Position of the oldest transaction that was to be looked at. */
      oldest,
      ...found,
      /** Newest first, as those that were dropped; only on the first page: without `from`. */
      waiting: await waitingRows(waiting, naming),
      /** Number of others that wait. */
      omittedWaiting: waiting.omitted,
      dropped: matcher ? dropped.filter(({ hash }) => matcher.fitsDropped(hash)) : dropped,
      names: naming.names,
    }
  },
)
