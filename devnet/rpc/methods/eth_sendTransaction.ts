import { params } from '../../json/params.ts'
import { callRequest } from '../../json/schemas/callRequest.ts'
import { defineMethod } from '../method.ts'
import { sendRequest } from '../sending/send.ts'
import { ownTransaction } from '../sending/transactionRequest.ts'

/** Signs for an unlocked account, or sends for an impersonated one without; see {@link sendRequest}. */
export default defineMethod({
  params: params(callRequest()),
  ordered: ({ clocks }) => clocks.instant,
  // Signed when its turn has come, so that its nonce follows on those of all sent before.
  handle: (context, [request], caller) => sendRequest(context, request, caller, ownTransaction),
})
