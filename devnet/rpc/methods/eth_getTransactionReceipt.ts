import { placeOf } from '../format/place.ts'
import { formatReceipt } from '../format/receipt.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { hash32 } from '../schemas/hex.ts'

/** There is a receipt from the tick on that pre-confirms the transaction. */
export default defineMethod({
  params: params(hash32()),
  handle({ chain }, [hash]) {
    const found = chain.findTransaction(hash)
    if (found === undefined || found.at === 'mempool') return null
    return formatReceipt(found.executed, placeOf(found.at === 'sealed' ? found.block : found.view))
  },
})
