import { NonceGapError } from '../../chain/admission.ts'
import { defineMethod } from '../method.ts'
import { ownTransaction } from '../ownTransaction.ts'
import { params } from '../params.ts'
import { receiptTimeout, waitForReceipt } from '../receiptWait.ts'
import { callRequest } from '../schemas/callRequest.ts'
import { quantity64OrNumber } from '../schemas/quantity.ts'

/** Signs for an unlocked account, or sends for an impersonated one without, then as `eth_sendRawTransactionSync`. */
export default defineMethod({
  params: params(callRequest(), quantity64OrNumber().optional()),
  async handle(context, [request, asked], caller) {
    const timeout = receiptTimeout(asked, context.options)
    const { hash } = await context.chain.submit(() => ownTransaction(context, request), {
      refuseGap: (next) => new NonceGapError(next),
    })
    return waitForReceipt(context, hash, timeout, caller)
  },
})
