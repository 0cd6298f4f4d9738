import type { TransactionPlace } from '../../chain/chain.ts'
import { placeOf } from './place.ts'
import { type FormattedReceipt, formatReceipt } from './receipt.ts'
import {
  type FormattedTransaction,
  formatPoolTransaction,
  formatTransaction,
} from './transaction.ts'

/** A transaction, wherever it is. */
export function formatPlaced(found: TransactionPlace): FormattedTransaction {
  switch (found.at) {
    case 'sealed':
      return formatTransaction(found.executed, placeOf(found.block))
    case 'pending':
      return formatTransaction(found.executed, placeOf(found.view))
    case 'mempool':
      return formatPoolTransaction(found.transaction)
  }
}

/** Its receipt; none while it is in the mempool. */
export function formatPlacedReceipt(found: TransactionPlace): FormattedReceipt | undefined {
  if (found.at === 'mempool') return undefined
  return formatReceipt(found.executed, placeOf(found.at === 'sealed' ? found.block : found.view))
}
