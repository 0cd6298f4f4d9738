import { formatPoolTransaction } from '../../json/formatTransaction.ts'
import type { ChainTransaction } from '../../protocol/transaction.ts'
import { defineMethod } from '../method.ts'
import { poolAnswer } from '../queries/poolAnswer.ts'

/**
 * All transactions that are not sealed yet, as on Hardhat: the pre-confirmed ones, those that the
 * next tick can take, then those behind a nonce gap.
 */
export default defineMethod({
  handle: (context, _params, { signal }) =>
    poolAnswer(context, signal, function* ({ pending, queued }) {
      yield
      return formatted([...pending, ...queued])
    }),
})

function* formatted(transactions: readonly ChainTransaction[]) {
  for (const one of transactions) yield formatPoolTransaction(one)
}
