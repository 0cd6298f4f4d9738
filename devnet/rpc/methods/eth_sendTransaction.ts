import { params } from '../../json/params.ts'
import { callRequest } from '../../json/schemas/callRequest.ts'
import { defineMethod } from '../method.ts'
import { sendRequest } from '../sending/send.ts'
import { ownTransaction } from '../sending/transactionRequest.ts'

/** Signs for an unlocked account, or sends unsigned for an impersonated one. */
export default defineMethod({
  params: params(callRequest()),
  ordered: ({ clocks }) => clocks.instant,
  // The transaction is made last, so that its nonce follows those of all transactions sent before.
  handle: (context, [request], caller) => sendRequest(context, request, caller, ownTransaction),
})
