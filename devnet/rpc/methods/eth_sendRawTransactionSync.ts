import { NonceGapError } from '../../chain/admission.ts'
import { fromHex } from '../../chain/bytes.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { receiptTimeout, waitForReceipt } from '../receiptWait.ts'
import { data } from '../schemas/hex.ts'
import { quantity64OrNumber } from '../schemas/quantity.ts'

/** Answers the receipt as soon as a tick has pre-confirmed the transaction, or an error with a code of EIP-7966. */
export default defineMethod({
  params: params(data(), quantity64OrNumber().optional()),
  async handle(context, [raw, asked], caller) {
    const timeout = receiptTimeout(asked, context.options)
    const { hash } = await context.chain.submit(fromHex(raw), {
      refuseGap: (next) => new NonceGapError(next),
    })
    return waitForReceipt(context, hash, timeout, caller)
  },
})
