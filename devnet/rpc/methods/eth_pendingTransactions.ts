import { listPool } from '../../json/formatPool.ts'
import { defineMethod } from '../method.ts'
import { afterSubmissions } from '../queries/findAfterTick.ts'

/**
 * All transactions that are not sealed yet, as on Hardhat: the pre-confirmed ones, those that the
 * next tick can take, then those behind a nonce gap.
 */
export default defineMethod({
  handle: ({ chain }) =>
    afterSubmissions(chain, () => {
      const { pending, queued } = listPool(chain)
      return [...pending, ...queued].map(({ formatted }) => formatted)
    }),
})
