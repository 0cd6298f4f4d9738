import * as z from 'zod'
import { address, flag, wanted } from '../../json/params.ts'
import { type Hex, toHex } from '../../primitives/hex.ts'
import type { ExecutedRow, TransactionFilter } from '../api.ts'
import type { Positioned } from '../chainIndex.ts'
import type { Naming } from '../naming.ts'
import { defineQuery, fields, integer } from '../query.ts'
import { executedRow, recipientOf } from '../rows.ts'
import { droppedRows, waitingRows } from '../waitingRows.ts'

/** ms after which a filter answers what it has found so far. */
const SEARCH_TIME = 200

/** How many waiting transactions the first page has. */
const MOST_WAITING = 200

const STATES = ['queued', 'preconfirmed', 'sealed', 'dropped'] as const

const NAME = z.string(wanted('a name')).max(200, 'want at most 200 characters')

const FILTER = fields({
  state: z.enum(STATES, wanted(`one of ${STATES.join(', ')}`)).optional(),
  reverted: flag().optional(),
  address: address().optional(),
  contract: NAME.optional(),
  function: NAME.optional(),
})

const PARAMS = fields({
  from: integer(0).optional(),
  limit: integer(1, 200).default(200),
  filter: FILTER.optional(),
})

/** Transactions in all states, newest first. */
export default defineQuery(
  'transactions',
  PARAMS,
  async (dashboard, { from, limit, filter }, { signal }) => {
    const { index } = dashboard
    const { scheduler, naming } = dashboard.work(signal)
    await index.sync(signal)
    const isFirst = from === undefined
    const wants = (...states: TransactionFilter['state'][]) =>
      filter?.state === undefined || states.includes(filter.state)
    const isPlain = filter === undefined
    const until = performance.now() + SEARCH_TIME
    const rows: ExecutedRow[] = []
    let position = Math.min(from ?? index.end - 1, index.end - 1)
    let searchedTo: number | null = null
    if (wants('preconfirmed', 'sealed')) {
      for (; position >= index.first && rows.length < limit; position--) {
        const found = index.at(position)
        if (found === undefined) break
        if (isPlain || (await isFitting(found, filter, naming))) {
          rows.push(await executedRow(found, naming))
        }
        if (isPlain) continue
        const { block } = found
        searchedTo = Number('environment' in block ? block.environment.number : block.number)
        const pause = scheduler.yieldIfDue()
        if (pause !== undefined) await pause
        if (performance.now() > until) {
          position--
          break
        }
      }
    } else position = -1
    const isAll = isPlain || (filter.reverted !== true && !filter.contract && !filter.function)
    const isFrom = (hex: Hex | undefined, { sender, to }: { sender: Hex; to: Hex | null }) =>
      hex === undefined || sender === hex || to === hex
    const waiting =
      isFirst && isAll && wants('queued')
        ? await waitingRows(dashboard, naming, MOST_WAITING, (one) =>
            isFrom(filter?.address, { sender: one.sender, to: recipientOf(one) }),
          )
        : []
    const dropped =
      isFirst && isAll && filter?.address === undefined && wants('dropped')
        ? droppedRows(dashboard)
        : []
    return {
      first: index.first,
      end: index.end,
      rows,
      next: position >= index.first ? position : null,
      searchedTo,
      waiting,
      dropped,
      names: naming.names,
    }
  },
)

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
