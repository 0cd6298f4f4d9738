import { bySender } from '../../json/formatPool.ts'
import { formatPoolTransaction } from '../../json/formatTransaction.ts'
import { address, params } from '../../json/params.ts'
import type { ChainTransaction } from '../../protocol/transaction.ts'
import { defineMethod } from '../method.ts'
import { poolAnswer } from '../queries/poolAnswer.ts'

/** Like `txpool_content`, but for one sender. */
export default defineMethod({
  params: params(address()),
  handle(context, [sender], { signal }) {
    function* byNonce(transactions: readonly ChainTransaction[]) {
      const own = transactions.filter((one) => one.sender === sender)
      return (yield* bySender(own, () => sender, formatPoolTransaction))[sender] ?? {}
    }
    return poolAnswer(context, signal, function* ({ pending, queued }) {
      return { pending: yield* byNonce(pending), queued: yield* byNonce(queued) }
    })
  },
})
