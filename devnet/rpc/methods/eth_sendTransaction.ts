import { params } from '../../json/params.ts'
import { callRequest } from '../../json/schemas/callRequest.ts'
import { defineMethod } from '../method.ts'
import { sendRequest } from '../sending/send.ts'
import { ownTransaction } from '../sending/transactionRequest.ts'

/** Signs for an unlocked account, or sends unsigned for an impersonated one. */
export default defineMethod({
  params: params(callRequest()),
  ordered: () => true,
  // Made only once all earlier transactions are accepted, so that the nonce follows theirs.
  handle: (context, [request], caller) =>
    sendRequest({ context, request, caller, make: ownTransaction }),
})
