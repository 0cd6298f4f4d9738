import { params } from '../../json/params.ts'
import { callRequest } from '../../json/schemas/callRequest.ts'
import { defineMethod } from '../method.ts'
import { sendRequest } from '../sending/send.ts'
import { impersonatedTransaction } from '../sending/transactionRequest.ts'

/** Sends unsigned for any account, impersonated or not. */
export default defineMethod({
  params: params(callRequest()),
  browser: false,
  handle: (context, [request], caller) =>
    sendRequest({ context, request, caller, make: impersonatedTransaction }),
})
