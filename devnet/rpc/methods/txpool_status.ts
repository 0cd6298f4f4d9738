import { quantity } from '../../primitives/hex.ts'
import { defineMethod } from '../method.ts'
import { afterSubmissions } from '../queries/findAfterTick.ts'

/** pending: pre-confirmed and runnable transactions; queued: those behind a nonce gap. */
export default defineMethod({
  handle: ({ chain }) =>
    afterSubmissions(chain, () => {
      const { mempool, pending } = chain
      return {
        pending: quantity(pending.executed.length + mempool.runnableCount),
        queued: quantity(mempool.size - mempool.runnableCount),
      }
    }),
})
