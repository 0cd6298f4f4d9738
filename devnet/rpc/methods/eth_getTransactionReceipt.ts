import { formatPlacedReceipt } from '../../json/formatTransaction.ts'
import { hash32, params } from '../../json/params.ts'
import { defineMethod } from '../method.ts'
import { findAfterTick, readsUnplaced } from '../queries/findAfterTick.ts'

/**
 * A receipt exists once a tick has pre-confirmed the transaction. Waits for the next tick if that
 * tick can take the transaction.
 */
export default defineMethod({
  params: params(hash32()),
  remote: 'transaction',
  answers: 'receipt',
  reads: (context, [hash]) => readsUnplaced(context, hash),
  handle: (context, [hash], caller) => findAfterTick(context, hash, caller, formatPlacedReceipt),
})
