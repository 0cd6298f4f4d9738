import { hash32, params } from '../../json/params.ts'
import { NO_TRACE_CONFIG, traceConfig } from '../../json/schemas/traceConfig.ts'
import { traceTransaction } from '../../tracing/traceBlock.ts'
import { defineMethod } from '../method.ts'
import { traceLimits } from '../queries/debugBlock.ts'
import { readsUnplaced } from '../queries/findAfterTick.ts'
import { placedTransaction } from '../queries/placedTransaction.ts'

/** Also traces a pre-confirmed transaction, on the state left by the transactions before it. */
export default defineMethod({
  params: params(hash32(), traceConfig().optional()),
  remote: 'transaction',
  reads: (context, [hash]) => readsUnplaced(context, hash),
  async handle({ chain, options }, [hash, config = NO_TRACE_CONFIG], { signal }) {
    const { block, found } = await placedTransaction(chain, hash)
    const limits = traceLimits(config, options, signal)
    return traceTransaction(chain, block, found.executed.index, limits)
  },
})
