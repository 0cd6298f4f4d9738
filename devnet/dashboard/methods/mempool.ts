import type { ChainTransaction } from '../../protocol/transaction.ts'
import type { MempoolSender, WaitingRow } from '../apiTypes/transactionTypes.ts'
import { defineQuery, fields, integer } from '../query.ts'
import { waitingRow } from '../rows.ts'
import { droppedRows } from '../waitingRows.ts'

const MOST_SENDERS = 200
const MOST_TRANSACTIONS = 1000

/** How many gaps of a sender are listed. */
const MOST_GAPS = 100

const PARAMS = fields({ limit: integer(0, MOST_TRANSACTIONS).default(MOST_TRANSACTIONS) })

/** What waits, by sender and nonce. */
export default defineQuery('mempool', PARAMS, async (dashboard, { limit }, { signal }) => {
  const { mempool, pending } = dashboard.node.context.chain
  const { naming } = dashboard.work(signal)
  const { runnableCount, size } = mempool
  // All that can change is read in one turn.
  const all = mempool.transactions()
  const isRunnable = new Map(all.map(({ hash }) => [hash, mempool.isRunnable(hash)]))
  const bySender = [...Map.groupBy(all, ({ senderKey }) => senderKey)]
    .map(([key, list]) => ({
      next: Number(pending.state.account(key)?.nonce ?? 0n),
      list: list.sort((a, b) => (a.nonce < b.nonce ? -1 : 1)),
    }))
    .sort((a, b) => Number(startsRunnable(b.list)) - Number(startsRunnable(a.list)))
  function startsRunnable([first]: readonly ChainTransaction[]): boolean {
    return first !== undefined && isRunnable.get(first.hash) === true
  }

  const senders: MempoolSender[] = []
  let shown = 0
  for (const { next, list } of bySender.slice(0, MOST_SENDERS)) {
    const address = list[0]?.sender
    if (address === undefined) continue
    const transactions: WaitingRow[] = []
    for (const one of list.slice(0, limit - shown)) {
      transactions.push(await waitingRow(one, isRunnable.get(one.hash) === true, naming))
    }
    shown += transactions.length
    await naming.name(address)
    senders.push({ address, next, count: list.length, transactions, gaps: gapsIn(next, list) })
  }
  return {
    runnable: runnableCount,
    waiting: size - runnableCount,
    senders,
    omitted: all.length - shown,
    dropped: droppedRows(dashboard),
    names: naming.names,
  }
})

function gapsIn(next: number, list: readonly ChainTransaction[]): MempoolSender['gaps'] {
  const gaps: { from: number; to: number }[] = []
  let expected = next
  for (const one of list) {
    const nonce = Number(one.nonce)
    if (nonce > expected) gaps.push({ from: expected, to: nonce - 1 })
    if (gaps.length >= MOST_GAPS) break
    expected = nonce + 1
  }
  return gaps
}
