import type { ChainTransaction } from '../protocol/transaction.ts'
import type { Dashboard } from './dashboard.ts'
import type { Naming } from './naming.ts'
import { type WaitingRow, waitingRow } from './rows.ts'

/** Transactions of the mempool at one moment. */
export interface WaitingList {
  /** Newest first. */
  readonly shown: readonly { readonly transaction: ChainTransaction; readonly runnable: boolean }[]
  /** Number of those not listed. */
  readonly omitted: number
}

export async function waitingRows({ shown }: WaitingList, naming: Naming): Promise<WaitingRow[]> {
  const rows: WaitingRow[] = []
  for (const { transaction, runnable } of shown) {
    rows.push(await waitingRow(transaction, runnable, naming))
  }
  return rows
}

/**
 * The newest transactions that wait.
 *
 * @param most - how many at most
 * @param fits - which of them. Default: all
 */
export function waitingList(
  { node }: Dashboard,
  most: number,
  fits?: (transaction: ChainTransaction) => boolean,
): WaitingList {
  const { mempool } = node.context.chain
  if (most === 0 && fits === undefined) return { shown: [], omitted: mempool.size }
  const waiting = mempool.transactions()
  const all = fits === undefined ? waiting : waiting.filter(fits)
  const shown = all
    .slice(all.length - Math.min(most, all.length))
    .reverse()
    .map((transaction) => ({ transaction, runnable: mempool.isRunnable(transaction.hash) }))
  return { shown, omitted: all.length - shown.length }
}

export type DroppedRow = ReturnType<typeof droppedRows>[number]

/** Transactions that can no longer be executed, newest first. */
export function droppedRows({ node }: Dashboard) {
  const { chain } = node.context
  return chain.dropped
    .map(({ hash, reason }) => {
      const transaction = chain.droppedTransaction(hash)?.transaction
      // The sender and the nonce are `null` if the node does not have it any more.
      const nonce = transaction === undefined ? null : Number(transaction.nonce)
      return { state: 'dropped', hash, reason, from: transaction?.sender ?? null, nonce } as const
    })
    .reverse()
}
