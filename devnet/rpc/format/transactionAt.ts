import type { SealedBlock } from '../../chain/block.ts'
import type { PendingView } from '../../chain/pendingView.ts'
import { placeOf } from './place.ts'
import { type FormattedTransaction, formatTransaction } from './transaction.ts'

/** The transaction at `index` of a block; `null` where there is none. */
export function formatTransactionAt(
  block: SealedBlock | PendingView | undefined,
  index: bigint,
): FormattedTransaction | null {
  const executed = block?.executed[Number(index)]
  if (block === undefined || executed === undefined) return null
  return formatTransaction(executed, placeOf(block))
}
