import { defineMethod } from '../method.ts'
import { impersonatedTransaction } from '../ownTransaction.ts'
import { params } from '../params.ts'
import { callRequest } from '../schemas/callRequest.ts'
import { sendRequest } from '../send.ts'

/** Sends for any account without a signature, impersonated or not. */
export default defineMethod({
  params: params(callRequest()),
  browser: false,
  handle: (context, [request], caller) =>
    sendRequest(context, request, caller, impersonatedTransaction),
})
