import { blockHash, params } from '../../json/params.ts'
import { NO_TRACE_CONFIG, traceConfig } from '../../json/schemas/traceConfig.ts'
import { optional } from '../../primitives/reader.ts'
import { tracedBlock } from '../../tracing/tracedBlock.ts'
import { defineMethod } from '../method.ts'
import { debugBlock, traceBlockText } from '../queries/debugBlock.ts'

export default defineMethod({
  params: params(blockHash(), optional(traceConfig())),
  remote: 'block',
  async handle(context, [hash, config = NO_TRACE_CONFIG], { signal }) {
    const block = tracedBlock(context.chain, debugBlock(context, { hash, requireCanonical: false }))
    return traceBlockText(context, block, config, signal)
  },
})
