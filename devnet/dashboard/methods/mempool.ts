import type { Hex } from '../../primitives/hex.ts'
import { integerWithin, orElse } from '../../primitives/reader.ts'
import type { ChainTransaction } from '../../protocol/transaction.ts'
import type { AddressKey } from '../../state/types.ts'
import { defineQuery, fields } from '../query.ts'
import { type WaitingRow, waitingRow } from '../rows.ts'
import { droppedRows } from '../waitingRows.ts'

const MOST_SENDERS = 200
const MOST_TRANSACTIONS = 1000

/** Number of transactions that are sorted between two looks at the clock. */
const BATCH = 1000

/** Number of gaps of a sender that are listed. */
const MOST_GAPS = 100

export interface MempoolSender {
  readonly address: Hex
  /** Nonce of the next transaction to execute, after those that are pre-confirmed. */
  readonly next: number
  /** Number of its transactions that wait. */
  readonly count: number
  /** In order of nonce, as far as the limit of the answer goes. */
  readonly transactions: readonly WaitingRow[]
  /** Nonces that are missing, first and last of each gap: the first 100 gaps. */
  readonly gaps: ReturnType<typeof gapsIn>
}

const PARAMS = fields({ limit: orElse(integerWithin(0, MOST_TRANSACTIONS), MOST_TRANSACTIONS) })

/** Waiting transactions, by sender and nonce. */
export default defineQuery(PARAMS, async (dashboard, { limit }, { signal }) => {
  const { mempool, pending } = dashboard.node.context.chain
  const { naming } = dashboard.work(signal)
  const { runnableCount, size } = mempool
  const { baseFeePerGas } = pending.environment
  // In one turn, so that all of it is of one moment; the rest pauses, as there may be many.
  const all = mempool.transactions()
  const lists = new Map<AddressKey, ChainTransaction[]>()
  for (const [index, one] of all.entries()) {
    const list = lists.get(one.senderKey)
    if (list === undefined) lists.set(one.senderKey, [one])
    else list.push(one)
    if (index % BATCH === 0) await naming.pause()
  }
  const bySender: Sender[] = []
  for (const [key, list] of lists) {
    list.sort((one, other) => (one.nonce < other.nonce ? -1 : 1))
    const next = pending.state.account(key)?.nonce ?? 0n
    bySender.push({ next, end: endOf(next, list), list })
    await naming.pause()
  }
  bySender.sort((one, other) => Number(startsRunnable(other)) - Number(startsRunnable(one)))

  const senders: MempoolSender[] = []
  let shown = 0
  for (const sender of bySender.slice(0, MOST_SENDERS)) {
    const { list } = sender
    const next = Number(sender.next)
    const address = list[0]?.sender
    if (address === undefined) continue
    const transactions: WaitingRow[] = []
    for (const one of list.slice(0, limit - shown)) {
      transactions.push(await waitingRow(one, isRunnable(one, sender), naming))
    }
    shown += transactions.length
    await naming.name(address)
    senders.push({ address, next, count: list.length, transactions, gaps: gapsIn(next, list) })
  }
  return {
    /** Of the pending block. */
    baseFeePerGas: String(baseFeePerGas),
    runnable: runnableCount,
    waiting: size - runnableCount,
    /** Those with runnable transactions first. */
    senders,
    /** Number of transactions that are not listed. */
    omitted: all.length - shown,
    /** Newest first. */
    dropped: droppedRows(dashboard),
    names: naming.names,
  }
})

/** Transactions of one account, in order of nonce. */
interface Sender {
  /** The account's nonce in the pending state. */
  readonly next: bigint
  /** The first nonce that is missing. */
  readonly end: bigint
  readonly list: readonly ChainTransaction[]
}

function endOf(next: bigint, list: readonly ChainTransaction[]): bigint {
  let end = next
  for (const { nonce } of list) {
    if (nonce > end) break
    if (nonce === end) end++
  }
  return end
}

function isRunnable({ nonce, deposit }: ChainTransaction, { end }: Sender): boolean {
  return deposit !== undefined || nonce < end
}

function startsRunnable(sender: Sender): boolean {
  const [first] = sender.list
  return first !== undefined && isRunnable(first, sender)
}

function gapsIn(next: number, list: readonly ChainTransaction[]) {
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
