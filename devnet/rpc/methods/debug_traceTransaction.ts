import { hash32, params } from '../../json/params.ts'
import { traceConfig } from '../../json/schemas/traceConfig.ts'
import { traceTransaction } from '../../tracing/traceBlock.ts'
import { defineMethod } from '../method.ts'
import { traceLimits } from '../queries/debugBlock.ts'
import { readsUnplaced, withPreconfirmed } from '../queries/findAfterTick.ts'
import { placedTransaction } from '../queries/placedTransaction.ts'

/** Also traces a pre-confirmed transaction, on the state left by the transactions before it. */
export default defineMethod({
  params: params(hash32(), traceConfig()),
  remote: 'transaction',
  reads: (context, [hash]) => readsUnplaced(withPreconfirmed(context), hash),
  async handle(context, [hash, config], { signal }) {
    const { chain, options } = context
    const { block, found } = await placedTransaction(withPreconfirmed(context), hash)
    const limits = traceLimits(config, options, signal)
    return traceTransaction(chain, block, found.executed.index, limits)
  },
})
