import { listPool } from '../../json/formatPool.ts'
import { defineMethod } from '../method.ts'
import { afterSubmissions } from '../queries/findAfterTick.ts'

/** The pre-confirmed transactions, then those that the next tick can take. */
export default defineMethod({
  handle: ({ chain }) =>
    afterSubmissions(chain, () => listPool(chain).pending.map(({ formatted }) => formatted)),
})
