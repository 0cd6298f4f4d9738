import { params, quantity64OrNumber } from '../../json/params.ts'
import { callRequest } from '../../json/schemas/callRequest.ts'
import { optional } from '../../primitives/reader.ts'
import { defineMethod } from '../method.ts'
import { receiptTimeout, syncTerms, waitForReceipt } from '../sending/receiptWait.ts'
import { submit, withGas } from '../sending/send.ts'
import { ownTransaction } from '../sending/transactionRequest.ts'

/** Sends like `eth_sendTransaction`, then waits like `eth_sendRawTransactionSync`. */
export default defineMethod({
  params: params(callRequest(), optional(quantity64OrNumber())),
  answers: 'receipt',
  async handle(context, [request, asked], caller) {
    const timeout = receiptTimeout(asked, context)
    const { hash } = await withGas({ context, request, caller, make: ownTransaction }, (made) =>
      submit(context, made, syncTerms(context)),
    )
    return waitForReceipt(context, hash, timeout, caller)
  },
})
