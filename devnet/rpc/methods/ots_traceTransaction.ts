import { hash32, params } from '../../json/params.ts'
import { NO_TRACE_CONFIG } from '../../json/schemas/traceConfig.ts'
import { traceTransaction } from '../../tracing/traceBlock.ts'
import { defineMethod } from '../method.ts'
import { traceLimits } from '../queries/debugBlock.ts'
import { readsUnplaced } from '../queries/findAfterTick.ts'
import { placedTransaction } from '../queries/placedTransaction.ts'

/** The frames of a transaction in one list, callers before callees. */
export default defineMethod({
  params: params(hash32()),
  remote: 'transaction',
  reads: (context, [hash]) => readsUnplaced(context, hash),
  async handle({ chain, options }, [hash], { signal }) {
    const { block, found } = await placedTransaction({ chain, options }, hash)
    const config = { ...NO_TRACE_CONFIG, tracer: { name: 'otterscan', list: 'frames' } as const }
    const limits = traceLimits(config, options, signal)
    return traceTransaction(chain, block, found.executed.index, limits)
  },
})
