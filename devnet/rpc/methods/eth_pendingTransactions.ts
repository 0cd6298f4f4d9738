import { listPool } from '../format/pool.ts'
import { defineMethod } from '../method.ts'
import { afterSubmissions } from '../submitted.ts'

/** The pre-confirmed transactions, then those that the next tick can take. */
export default defineMethod({
  handle: ({ chain }) =>
    afterSubmissions(chain, () => listPool(chain).pending.map(({ formatted }) => formatted)),
})
