import { data, params, quantity64OrNumber } from '../../json/params.ts'
import { fromHex } from '../../primitives/hex.ts'
import { optional } from '../../primitives/reader.ts'
import { defineMethod } from '../method.ts'
import { receiptTimeout, syncTerms, waitForReceipt } from '../sending/receiptWait.ts'
import { inTurn, submit } from '../sending/send.ts'

/** Returns the receipt once a tick has pre-confirmed the transaction; errors as in EIP-7966. */
export default defineMethod({
  params: params(data(), optional(quantity64OrNumber())),
  takesSigned: true,
  answers: 'receipt',
  async handle(context, [raw, asked], caller) {
    const timeout = receiptTimeout(asked, context)
    const { hash } = await inTurn(context, () => submit(context, fromHex(raw), syncTerms(context)))
    return waitForReceipt(context, hash, timeout, caller)
  },
})
