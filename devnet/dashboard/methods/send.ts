import { RefusedError } from '../../primitives/errors.ts'
import { type Hex, isBytes } from '../../primitives/hex.ts'
import { ProviderError } from '../../primitives/providerError.ts'
import { knownCall, SEND_PARAMS, transactionRequest } from '../contractCalls.ts'
import { defineQuery } from '../query.ts'

/**
 * Sends a transaction that calls a contract: signed for an unlocked account, in the name of any
 * other one, which stays as it is. A refusal has the node's words.
 */
export default defineQuery(SEND_PARAMS, async (dashboard, params, { signal }) => {
  const { context, dispatch } = dashboard.node
  const { naming } = dashboard.work(signal)
  const found = await knownCall(dashboard, naming, params.address, params)
  const isUnlocked = context.accounts.has(params.from)
  const method = isUnlocked ? 'eth_sendTransaction' : 'eth_sendUnsignedTransaction'
  // The page was admitted by its token, so the node need not know that it is one.
  const caller = { signal, origin: undefined, subscribe: () => undefined }
  const request = { method, params: [transactionRequest(params, found.data)] }
  try {
    // The method answers the hash.
    const hash = (await dispatch.request(request, caller)) as Hex
    await dashboard.feed.now()
    return { hash }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    // Instant mode has sealed it, although it failed.
    if (error.transactionHash !== undefined) return { hash: error.transactionHash }
    const output = isBytes(error.data) ? error.data : '0x'
    const reason = await naming.failureText(error.message, output, found.abi)
    throw new RefusedError(reason, { cause: error })
  }
})
