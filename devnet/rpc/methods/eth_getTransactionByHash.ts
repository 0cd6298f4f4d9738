import { formatPlaced } from '../../json/formatTransaction.ts'
import { hash32, params } from '../../json/params.ts'
import { defineMethod } from '../method.ts'
import { findAfterTick, readsUnplaced } from '../queries/findAfterTick.ts'

/** Waits for the next tick if that tick can take the transaction from the mempool. */
export default defineMethod({
  params: params(hash32()),
  remote: 'transaction',
  answers: 'transaction',
  reads: (context, [hash]) => readsUnplaced(context, hash),
  handle: (context, [hash], caller) => findAfterTick(context, hash, caller, formatPlaced),
})
