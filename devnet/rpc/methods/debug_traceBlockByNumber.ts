import { blockNumberReference, params } from '../../json/params.ts'
import { NO_TRACE_CONFIG, traceConfig } from '../../json/schemas/traceConfig.ts'
import { optional } from '../../primitives/reader.ts'
import { tracedBlock } from '../../tracing/tracedBlock.ts'
import { defineMethod } from '../method.ts'
import { debugBlock, traceBlockText } from '../queries/debugBlock.ts'

/** With `pending`, traces the pre-confirmed transactions. */
export default defineMethod({
  params: params(blockNumberReference(), optional(traceConfig())),
  remote: 'block',
  byHash: 'debug_traceBlockByHash',
  async handle(context, [reference, config = NO_TRACE_CONFIG], { signal }) {
    const block = tracedBlock(context.chain, debugBlock(context, reference))
    return traceBlockText(context, block, config, signal)
  },
})
