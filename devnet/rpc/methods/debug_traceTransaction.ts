import { hash32, params } from '../../json/params.ts'
import { NO_TRACE_CONFIG, traceConfig } from '../../json/schemas/traceConfig.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { traceTransaction } from '../../tracing/traceBlock.ts'
import { tracedBlock } from '../../tracing/tracedBlock.ts'
import { defineMethod } from '../method.ts'
import { traceLimits } from '../queries/debugBlock.ts'
import { findSubmitted, readsUnplaced } from '../queries/findAfterTick.ts'

/** Also traces a pre-confirmed transaction, on the state left by the transactions before it. */
export default defineMethod({
  params: params(hash32(), traceConfig().optional()),
  remote: 'transaction',
  reads: (context, [hash]) => readsUnplaced(context, hash),
  async handle({ chain, options }, [hash, config = NO_TRACE_CONFIG], { signal }) {
    const found = await findSubmitted(chain, hash, (location) => location)
    if (found === null) throw new RefusedError('transaction not found')
    if (found.at === 'mempool') {
      throw new RefusedError(
        `transaction ${hash} is still in the mempool: it can be traced once a tick has pre-confirmed it`,
      )
    }
    const block = tracedBlock(chain, found.at === 'sealed' ? found.block : found.view)
    const limits = traceLimits(config, options, signal)
    return traceTransaction(chain, block, found.executed.index, limits)
  },
})
