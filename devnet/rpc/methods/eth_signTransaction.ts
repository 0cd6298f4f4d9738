import { toHex } from '../../chain/bytes.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { callRequest } from '../schemas/callRequest.ts'
import { signRequest } from '../transactionRequest.ts'

/** Signs for an unlocked account, with the defaults of `eth_sendTransaction`; answers the EIP-2718 bytes, as anvil does. */
export default defineMethod({
  params: params(callRequest()),
  handle: (context, [request]) => toHex(signRequest(context, request).raw),
})
