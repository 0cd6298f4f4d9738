import { formatPlacedReceipt } from '../../json/formatTransaction.ts'
import { hash32, params } from '../../json/params.ts'
import { defineMethod } from '../method.ts'
import { findAfterTick, readsUnplaced, withPreconfirmed } from '../queries/findAfterTick.ts'

/**
 * As `eth_getTransactionReceipt` with the option `receipts` preconfirmed, whatever it is. On a
 * fork, of this node's own transactions.
 */
export default defineMethod({
  params: params(hash32()),
  browser: false,
  reads: (context, [hash]) => readsUnplaced(withPreconfirmed(context), hash),
  handle: (context, [hash], caller) =>
    findAfterTick(withPreconfirmed(context), hash, caller, formatPlacedReceipt),
})
