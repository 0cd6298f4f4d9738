import { formatPoolTransaction } from '../../json/formatTransaction.ts'
import { defineMethod } from '../method.ts'
import { poolBySender } from '../queries/poolAnswer.ts'

/** pending: pre-confirmed and runnable transactions; queued: those behind a nonce gap. */
export default defineMethod({
  handle: (context, _params, { signal }) => poolBySender(context, signal, formatPoolTransaction),
})
