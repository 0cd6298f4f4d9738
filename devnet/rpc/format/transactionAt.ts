import type { SealedBlock } from '../../chain/block.ts'
import { toHex } from '../../chain/bytes.ts'
import type { PendingView } from '../../chain/pendingView.ts'
import type { Hex } from '../../types.ts'
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

/** Its EIP-2718 bytes. */
export function formatRawTransactionAt(
  block: SealedBlock | PendingView | undefined,
  index: bigint,
): Hex | null {
  const executed = block?.executed[Number(index)]
  return executed === undefined ? null : toHex(executed.transaction.raw)
}
