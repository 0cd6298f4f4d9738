import { listPool, type PoolEntry } from '../../json/formatPool.ts'
import { address, params } from '../../json/params.ts'
import { defineMethod } from '../method.ts'
import { afterSubmissions } from '../queries/findAfterTick.ts'

/** Like `txpool_content`, but for one sender. */
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
