import { bySender, listPool, type PoolEntry } from '../../json/formatPool.ts'
import { defineMethod } from '../method.ts'
import { afterSubmissions } from '../queries/findAfterTick.ts'

/** pending: pre-confirmed and runnable transactions; queued: those behind a nonce gap. */
export default defineMethod({
  handle: ({ chain }) =>
    afterSubmissions(chain, () => {
      const { keccak256 } = chain.engine.crypto
      const { pending, queued } = listPool(chain)
      return {
        pending: bySender(pending, keccak256, formatted),
        queued: bySender(queued, keccak256, formatted),
      }
    }),
})

function formatted(entry: PoolEntry) {
  return entry.formatted
}
