import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { callRequest } from '../schemas/callRequest.ts'
import { signRequest } from '../transactionRequest.ts'

/** Signs for an unlocked account; answers the hash as soon as the mempool has accepted the transaction. */
export default defineMethod({
  params: params(callRequest()),
  async handle(context, [request]) {
    // Signed when its turn has come, so that its nonce follows on those of all sent before.
    const { hash } = await context.chain.submit(() => signRequest(context, request))
    return hash
  },
})
