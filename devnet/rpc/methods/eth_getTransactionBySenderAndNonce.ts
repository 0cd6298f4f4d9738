import { formatPlaced } from '../format/transactionPlace.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { address } from '../schemas/hex.ts'
import { quantity64OrNumber } from '../schemas/quantity.ts'
import { findBySender } from '../senderAndNonce.ts'
import { afterSubmissions } from '../submitted.ts'

/** Sealed, pre-confirmed or waiting in the mempool, as it stands now. */
export default defineMethod({
  params: params(address(), quantity64OrNumber()),
  handle: ({ chain }, [sender, nonce]) =>
    afterSubmissions(chain, () => {
      const found = findBySender(chain, sender, nonce)
      return found === undefined ? null : formatPlaced(found)
    }),
})
