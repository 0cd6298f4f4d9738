import { params } from '../../json/params.ts'
import { callRequest } from '../../json/schemas/callRequest.ts'
import { toHex } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'
import { withGas } from '../sending/send.ts'
import { signRequest } from '../sending/transactionRequest.ts'

/** Signs with the defaults of `eth_sendTransaction`; returns the EIP-2718 bytes, as on anvil. */
export default defineMethod({
  params: params(callRequest()),
  handle: (context, [request], caller) =>
    withGas({ context, request, caller, make: signRequest }, (made) => toHex(made().raw)),
})
