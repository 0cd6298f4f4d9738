import { formatPlacedReceipt } from '../../json/formatTransaction.ts'
import { hash32, params } from '../../json/params.ts'
import { defineMethod } from '../method.ts'
import { findAfterTick } from '../queries/findAfterTick.ts'

/**
 * The receipt exists from the tick on that pre-confirms the transaction. If that is the next tick,
 * waits for it.
 */
export default defineMethod({
  params: params(hash32()),
  handle: (context, [hash], caller) => findAfterTick(context, hash, caller, formatPlacedReceipt),
})
