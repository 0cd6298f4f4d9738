import type { Chain, TransactionPlace } from '../chain/chain.ts'
import type { Hex } from '../types.ts'
import { placeOf } from './format/place.ts'
import { type FormattedReceipt, formatReceipt } from './format/receipt.ts'

/** The receipt of a transaction, from the tick on that pre-confirms it. */
export function findReceipt(
  chain: Pick<Chain, 'findTransaction'>,
  hash: Hex,
): FormattedReceipt | undefined {
  const found = chain.findTransaction(hash)
  return found === undefined ? undefined : receiptAt(found)
}

/** The receipt of a transaction that has been found; none while it is in the mempool. */
export function receiptAt(found: TransactionPlace): FormattedReceipt | undefined {
  if (found.at === 'mempool') return undefined
  return formatReceipt(found.executed, placeOf(found.at === 'sealed' ? found.block : found.view))
}
