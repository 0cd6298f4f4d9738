import type { ChainTransaction } from '../../protocol/transaction.ts'
import type { MempoolSender, WaitingRow } from '../api.ts'
import { defineQuery, fields } from '../query.ts'
import { waitingRow } from '../rows.ts'
import { droppedRows } from '../waitingRows.ts'

const MOST_SENDERS = 200
const MOST_TRANSACTIONS = 1000

/** What waits, by sender and nonce. */
export default defineQuery('mempool', fields({}), async (dashboard, _params, { signal }) => {
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
    const transactions: WaitingRow[] = []
    for (const one of list.slice(0, MOST_TRANSACTIONS - shown)) {
      transactions.push(await waitingRow(one, isRunnable.get(one.hash) === true, naming))
    }
    shown += transactions.length
    const address = transactions[0]?.from
    if (address === undefined) break
    senders.push({ address, next, transactions, gaps: gapsIn(next, transactions) })
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

function gapsIn(next: number, transactions: readonly WaitingRow[]): MempoolSender['gaps'] {
  const gaps: { from: number; to: number }[] = []
  let expected = next
  for (const { nonce } of transactions) {
    if (nonce > expected) gaps.push({ from: expected, to: nonce - 1 })
    expected = nonce + 1
  }
  return gaps
}
