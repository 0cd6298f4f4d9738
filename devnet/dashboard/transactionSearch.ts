import type { ChainIndex, Positioned } from './chainIndex.ts'
import type { Naming } from './naming.ts'
import { type ExecutedRow, executedRow } from './rows.ts'
import type { TransactionMatcher } from './transactionMatcher.ts'
import type { WaitingList } from './waitingRows.ts'

/** ms after which a filter answers what it has found so far. */
const SEARCH_TIME = 200

/** Number of transactions that a filter checks before it updates its view of the chain. */
const BATCH = 200

/** Positions of the newest transaction to look at and of the oldest, and most rows to find. */
interface Range {
  readonly from: number
  readonly oldest: number
  readonly limit: number
}

/**
 * Looks for executed transactions, backwards: with a filter for a slice of time, otherwise for
 * those that there are in this turn.
 */
export async function searchTransactions(
  index: ChainIndex,
  matcher: TransactionMatcher | undefined,
  naming: Naming,
  { from, oldest, limit }: Range,
  signal: AbortSignal,
) {
  const until = performance.now() + SEARCH_TIME
  const rows: ExecutedRow[] = []
  let position = matcher?.wants('preconfirmed') || matcher?.wants('sealed') !== false ? from : -1
  let searchedTo: number | null = null
  const end = () => Math.max(oldest, index.first)
  const isDone = () => rows.length >= limit || (matcher !== undefined && performance.now() > until)
  while (position >= end() && !isDone()) {
    const most = matcher === undefined ? limit : BATCH
    const batch = pageOf(index, position, Math.min(most, position - end() + 1))
    if (batch.length === 0) break
    for (const found of batch) {
      if (isDone()) break
      position = found.position - 1
      const { block, executed } = found
      const isPending = 'environment' in block
      const number = Number(isPending ? block.environment.number : block.number)
      const state = isPending ? 'preconfirmed' : 'sealed'
      const { transaction } = executed
      if (matcher !== undefined) searchedTo = number
      if ((await matcher?.fits({ state, transaction, executed, block: number })) !== false) {
        rows.push(await executedRow(found, naming))
      }
      await naming.pause()
    }
    // Blocks are sealed and taken back meanwhile.
    await index.sync(signal)
  }
  const isMore = position >= end()
  return {
    /** Newest first. Without a filter, positions have no gaps. */
    rows,
    /** `from` of the next page; `null` if there is nothing older. */
    next: isMore ? position : null,
    /** Block down to which a filter has looked so far; `null` if it has looked at all. */
    searchedTo: isMore ? searchedTo : null,
  }
}

/** Transactions from a position on, newest first, all of one moment. */
function pageOf(index: ChainIndex, from: number, size: number): Positioned[] {
  const page: Positioned[] = []
  for (let position = from; page.length < size; position--) {
    const found = index.at(position)
    if (found === undefined) break
    page.push(found)
  }
  return page
}

/** Waiting transactions that pass a filter. @param most - how many are listed */
export async function searchWaiting(
  all: WaitingList,
  matcher: TransactionMatcher,
  naming: Naming,
  most: number,
): Promise<WaitingList> {
  const found: WaitingList['shown'][number][] = []
  for (const one of matcher.wants('queued') ? all.shown : []) {
    if (await matcher.fits({ state: 'queued', transaction: one.transaction })) found.push(one)
    await naming.pause()
  }
  return { shown: found.slice(0, most), omitted: Math.max(0, found.length - most) }
}
