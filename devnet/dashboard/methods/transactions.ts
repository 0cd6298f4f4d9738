import { address } from '../../json/params.ts'
import { toHex } from '../../primitives/hex.ts'
import { choice, flag, integerWithin, optional, orElse, text } from '../../primitives/reader.ts'
import type { ExecutedRow, TransactionFilter } from '../apiTypes/transactionTypes.ts'
import type { ChainIndex, Positioned } from '../chainIndex.ts'
import type { Dashboard } from '../dashboard.ts'
import type { Naming } from '../naming.ts'
import { defineQuery, fields } from '../query.ts'
import { executedRow, recipientOf } from '../rows.ts'
import { droppedRows, type WaitingList, waitingList, waitingRows } from '../waitingRows.ts'

/** ms after which a filter answers what it has found so far. */
const SEARCH_TIME = 200

/** Number of waiting transactions on the first page. */
const MOST_WAITING = 200

const STATES = ['queued', 'preconfirmed', 'sealed', 'dropped'] as const

const NAME = text('a name', { max: 200 })

const FILTER = fields({
  state: optional(choice(STATES, `one of ${STATES.join(', ')}`)),
  reverted: optional(flag()),
  address: optional(address()),
  contract: optional(NAME),
  function: optional(NAME),
})

const PARAMS = fields({
  from: optional(integerWithin(0)),
  limit: orElse(integerWithin(1, 200), 200),
  waiting: orElse(integerWithin(0, MOST_WAITING), MOST_WAITING),
  filter: optional(FILTER),
})

/** Number of transactions that a filter looks at before it looks at the chain anew. */
const BATCH = 200

/** Transactions in all states, newest first. */
export default defineQuery(
  'transactions',
  PARAMS,
  async (dashboard, { from, limit, waiting: mostWaiting, filter }, { signal }) => {
    const { index } = dashboard
    const { scheduler, naming } = dashboard.work(signal)
    await index.sync(signal)
    // In one turn: a transaction that is executed meanwhile is in one of the lists.
    const { first, end } = index
    const wants = (...states: TransactionFilter['state'][]) =>
      filter?.state === undefined || states.includes(filter.state)
    const waiting =
      from === undefined && wants('queued') ? waitingOf(dashboard, mostWaiting, filter) : NOTHING
    const isDropped = from === undefined && isAboutHashes(filter) && wants('dropped')
    const dropped = isDropped ? droppedRows(dashboard) : []
    const until = performance.now() + SEARCH_TIME
    const rows: ExecutedRow[] = []
    let position = wants('preconfirmed', 'sealed') ? Math.min(from ?? end - 1, end - 1) : -1
    let searchedTo: number | null = null
    const isDone = () => rows.length >= limit || (filter !== undefined && performance.now() > until)
    while (position >= index.first && !isDone()) {
      const batch = pageOf(index, position, filter === undefined ? limit : BATCH)
      if (batch.length === 0) break
      for (const found of batch) {
        if (isDone()) break
        position = found.position - 1
        if (filter === undefined) {
          rows.push(await executedRow(found, naming))
          continue
        }
        const { block } = found
        searchedTo = Number('environment' in block ? block.environment.number : block.number)
        if (await isFitting(found, filter, naming)) rows.push(await executedRow(found, naming))
        const pause = scheduler.yieldIfDue()
        if (pause !== undefined) await pause
      }
      // Blocks are sealed and taken back meanwhile.
      await index.sync(signal)
    }
    const next = position >= index.first ? position : null
    return {
      first,
      end,
      rows,
      next,
      searchedTo: next === null ? null : searchedTo,
      waiting: await waitingRows(waiting, naming),
      omittedWaiting: waiting.omitted,
      dropped,
      names: naming.names,
    }
  },
)

const NOTHING: WaitingList = { shown: [], omitted: 0 }

/** True if a filter asks for nothing that only more than the hash of a transaction tells. */
function isAboutHashes(filter: TransactionFilter = {}): boolean {
  const { address: party, reverted, contract, function: name } = filter
  return party === undefined && reverted !== true && contract === undefined && name === undefined
}

/** Waiting transactions that pass a filter, as far as that is known before they are executed. */
function waitingOf(
  dashboard: Dashboard,
  most: number,
  filter: TransactionFilter = {},
): WaitingList {
  const { address: party, reverted, contract, function: name } = filter
  if (reverted === true || contract !== undefined || name !== undefined) return NOTHING
  if (party === undefined) return waitingList(dashboard, most)
  return waitingList(dashboard, most, (one) => one.sender === party || recipientOf(one) === party)
}

/** Transactions from a position on, newest first, all of one moment. */
function pageOf(index: ChainIndex, from: number, size: number): Positioned[] {
  const page: Positioned[] = []
  for (let position = from; position >= index.first && page.length < size; position--) {
    const found = index.at(position)
    if (found === undefined) break
    page.push(found)
  }
  return page
}

async function isFitting(
  { block, executed }: Positioned,
  { state, reverted, address: party, contract, function: name }: TransactionFilter,
  naming: Naming,
): Promise<boolean> {
  const { transaction, contractAddress, success } = executed
  if (state !== undefined && (state === 'sealed') === 'environment' in block) return false
  if (reverted !== undefined && success === reverted) return false
  const to = recipientOf(transaction)
  if (party !== undefined) {
    const created = contractAddress === undefined ? null : toHex(contractAddress)
    if (![transaction.sender, to, created].includes(party)) return false
  }
  if (contract === undefined && name === undefined) return true
  const { names } = await naming.call(to, toHex(transaction.data))
  if (contract !== undefined && names.contract !== contract) return false
  return name === undefined || (names.entry?.kind === 'function' && names.entry.name === name)
}
