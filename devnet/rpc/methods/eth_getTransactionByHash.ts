import { formatPlaced } from '../../json/formatTransaction.ts'
import { hash32, params } from '../../json/params.ts'
import { defineMethod } from '../method.ts'
import { findAfterTick } from '../queries/findAfterTick.ts'

/** Waits for the tick if the next one can take the transaction; otherwise answers the pool form. */
export default defineMethod({
  params: params(hash32()),
  handle: (context, [hash], caller) => findAfterTick(context, hash, caller, formatPlaced),
})
