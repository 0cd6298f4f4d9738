import type { Chain } from '../chain/chain.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'

/** The pre-confirmed transactions, then those in the mempool. */
export function unsealedTransactions({
  pending,
  mempool,
}: Pick<Chain, 'pending' | 'mempool'>): ChainTransaction[] {
  return [...pending.executed.map(({ transaction }) => transaction), ...mempool.transactions()]
}
