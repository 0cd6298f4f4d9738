import { checkFields } from '../../engine/transactionRules.ts'
import { executionTarget } from '../../execution/executionTarget.ts'
import { unsignedTransaction } from '../../execution/unsignedTransaction.ts'
import { formatPoolTransaction } from '../../json/formatTransaction.ts'
import { params } from '../../json/params.ts'
import type { CallRequest } from '../../json/schemas/callRequest.ts'
import { callRequest } from '../../json/schemas/callRequest.ts'
import { toHex } from '../../primitives/hex.ts'
import type { RpcContext } from '../context.ts'
import { callTasks, runCall } from '../heavy/callTasks.ts'
import { type Caller, defineMethod } from '../method.ts'
import { fillRequest, withFeeCap } from '../sending/transactionRequest.ts'
import { defaultAccount } from '../sending/unlockedAccounts.ts'

/**
 * The transaction that `eth_sendTransaction` would sign, with estimated gas; `raw` holds its
 * unsigned EIP-2718 bytes.
 */
export default defineMethod({
  params: params(callRequest()),
  reads: () => 'pending block',
  sender: (context, [request]) => request.from ?? defaultAccount(context),
  async handle(context, [request], caller) {
    const { chain } = context
    const gas = request.gas ?? (await estimate(context, request, caller))
    // After this, the next nonce takes all transactions sent before into account.
    await chain.settled()
    const { rules } = chain.pending.environment
    const fields = fillRequest(context, { ...request, gas })
    checkFields(fields, rules)
    const transaction = unsignedTransaction(fields, chain.engine, rules)
    const { blockHash, blockNumber, blockTimestamp, transactionIndex, ...filled } =
      formatPoolTransaction(transaction)
    return {
      raw: toHex(transaction.raw),
      // As in geth, a request with both kinds of fees is refused, so the result has only one.
      tx: { ...filled, gasPrice: fields.type < 2 ? filled.gasPrice : null },
    }
  },
})

function estimate(context: RpcContext, given: CallRequest, { signal }: Caller): Promise<bigint> {
  const { chain, preview } = context
  // The transaction will run on the pending block, even if the profile hides that.
  const target = executionTarget(chain, preview ?? chain.pending)
  const request = withFeeCap(given, target.block)
  return runCall(context, callTasks.estimateGas, target, { request }, { signal })
}
