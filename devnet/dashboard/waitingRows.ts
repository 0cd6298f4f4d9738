import type { ChainTransaction } from '../protocol/transaction.ts'
import type { DroppedRow, WaitingRow } from './api.ts'
import type { Dashboard } from './dashboard.ts'
import type { Naming } from './naming.ts'
import { waitingRow } from './rows.ts'

/**
 * Waiting transactions, newest first.
 *
 * @param most - how many at most
 * @param fits - which of them. Default: all
 */
export async function waitingRows(
  { node }: Dashboard,
  naming: Naming,
  most: number,
  fits: (transaction: ChainTransaction) => boolean = () => true,
): Promise<WaitingRow[]> {
  const { mempool } = node.context.chain
  const shown = mempool.transactions().filter(fits).slice(-most).reverse()
  const runnable = shown.map(({ hash }) => mempool.isRunnable(hash))
  const rows: WaitingRow[] = []
  for (const [index, transaction] of shown.entries()) {
    rows.push(await waitingRow(transaction, runnable[index] === true, naming))
  }
  return rows
}

/** Transactions that can no longer be executed, newest first. */
export function droppedRows({ node }: Dashboard): DroppedRow[] {
  return node.context.chain.dropped
    .map(({ hash, reason }) => ({ state: 'dropped', hash, reason }) as const)
    .reverse()
}
