import { listPool, type PoolEntry } from '../format/pool.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { address } from '../schemas/hex.ts'
import { afterSubmissions } from '../submitted.ts'

/** As `txpool_content`, of one sender. */
export default defineMethod({
  params: params(address()),
  handle({ chain }, [sender]) {
    const byNonce = (entries: readonly PoolEntry[]) =>
      Object.fromEntries(
        entries
          .filter(({ transaction }) => transaction.sender === sender)
          .map(({ transaction, formatted }) => [String(transaction.nonce), formatted]),
      )
    return afterSubmissions(chain, () => {
      const { pending, queued } = listPool(chain)
      return { pending: byNonce(pending), queued: byNonce(queued) }
    })
  },
})
