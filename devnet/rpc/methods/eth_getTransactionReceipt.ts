import type { TransactionPlace } from '../../chain/chain.ts'
import { findAfterTick } from '../findAfterTick.ts'
import type { FormattedReceipt } from '../format/receipt.ts'
import { formatPlacedReceipt } from '../format/transactionPlace.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { hash32 } from '../schemas/hex.ts'

/** There is a receipt from the tick on that pre-confirms the transaction; where that is the next one, it is waited for. */
export default defineMethod({
  params: params(hash32()),
  handle(context, [hash], caller) {
    const found = findAfterTick(context, hash, caller)
    return found instanceof Promise ? found.then(format) : format(found)
  },
})

function format(found: TransactionPlace | undefined): FormattedReceipt | null {
  return found === undefined ? null : (formatPlacedReceipt(found) ?? null)
}
