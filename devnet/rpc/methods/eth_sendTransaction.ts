import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { callRequest } from '../schemas/callRequest.ts'
import { signRequest } from '../transactionRequest.ts'

/** Signs for an unlocked account; answers the hash as soon as the mempool has accepted the transaction. */
export default defineMethod({
  params: params(callRequest()),
  async handle(context, [request]) {
    const { chain } = context
    // Loaded before, so that nothing comes in between the choice of the nonce and the mempool.
    await chain.engine.executor()
    const { hash } = await chain.submit(signRequest(context, request))
    return hash
  },
})
