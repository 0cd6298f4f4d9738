import type { TransactionLocation } from '../../chain/chain.ts'
import { type FormattedTransaction, formatPlaced } from '../../json/formatTransaction.ts'
import { hash32, params } from '../../json/params.ts'
import { defineMethod } from '../method.ts'
import { findAfterTick } from '../queries/findAfterTick.ts'

/** Waits for the tick if the next one can take the transaction; otherwise answers the pool form. */
export default defineMethod({
  params: params(hash32()),
  handle(context, [hash], caller) {
    const found = findAfterTick(context, hash, caller)
    return found instanceof Promise ? found.then(format) : format(found)
  },
})

function format(found: TransactionLocation | undefined): FormattedTransaction | null {
  return found === undefined ? null : formatPlaced(found)
}
