import { fromHex } from '../../chain/bytes.ts'
import type { ChainTransaction } from '../../chain/transaction.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { data } from '../schemas/hex.ts'

/** Answers the hash as soon as the mempool has accepted the transaction. */
export default defineMethod({
  params: params(data()),
  handle({ chain }, [raw]) {
    const accepted = chain.submit(fromHex(raw))
    return accepted instanceof Promise ? accepted.then(hashOf) : hashOf(accepted)
  },
})

function hashOf({ hash }: ChainTransaction) {
  return hash
}
