import type { CallRequest } from '../../execution/types.ts'
import type { Hex } from '../../types.ts'
import type { RpcContext } from '../context.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { callRequest } from '../schemas/callRequest.ts'
import { signRequest } from '../transactionRequest.ts'

/** Signs for an unlocked account; answers the hash as soon as the mempool has accepted the transaction. */
export default defineMethod({
  params: params(callRequest()),
  async handle(context, [request]) {
    // From the choice of the nonce to the mempool nothing may come in between.
    await context.chain.engine.executor()
    return send(context, request)
  },
})

async function send(context: RpcContext, request: CallRequest): Promise<Hex> {
  const { hash } = await context.chain.submit(signRequest(context, request))
  return hash
}
