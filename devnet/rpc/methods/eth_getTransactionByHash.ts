import type { TransactionPlace } from '../../chain/chain.ts'
import { findAfterTick } from '../findAfterTick.ts'
import type { FormattedTransaction } from '../format/transaction.ts'
import { formatPlaced } from '../format/transactionPlace.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { hash32 } from '../schemas/hex.ts'

/** One that the next tick can take is answered after that tick; whatever no tick is going to take soon, in the pool form. */
export default defineMethod({
  params: params(hash32()),
  handle(context, [hash], caller) {
    const found = findAfterTick(context, hash, caller)
    return found instanceof Promise ? found.then(format) : format(found)
  },
})

function format(found: TransactionPlace | undefined): FormattedTransaction | null {
  return found === undefined ? null : formatPlaced(found)
}
