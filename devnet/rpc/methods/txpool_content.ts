import { bySender, listPool, type PoolEntry, poolAddress } from '../../json/formatPool.ts'
import { defineMethod } from '../method.ts'
import { afterSubmissions } from '../queries/findAfterTick.ts'

/** pending: pre-confirmed and runnable transactions; queued: those behind a nonce gap. */
export default defineMethod({
  handle: ({ chain, options }) =>
    afterSubmissions(chain, () => {
      const shown = poolAddress({ chain, options })
      const { pending, queued } = listPool(chain)
      return {
        pending: bySender(pending, shown, formatted),
        queued: bySender(queued, shown, formatted),
      }
    }),
})

function formatted(entry: PoolEntry) {
  return entry.formatted
}
