import { blockNumberReference, params } from '../../json/params.ts'
import { traceConfig } from '../../json/schemas/traceConfig.ts'
import { tracedBlock } from '../../tracing/tracedBlock.ts'
import { defineMethod } from '../method.ts'
import { debugBlock, traceBlockText } from '../queries/debugBlock.ts'

/** With `pending`, traces the pre-confirmed transactions. */
export default defineMethod({
  params: params(blockNumberReference(), traceConfig()),
  remote: 'block',
  byHash: 'debug_traceBlockByHash',
  async handle(context, [reference, config], { signal }) {
    const block = tracedBlock(context.chain, debugBlock(context, reference))
    return traceBlockText(context, block, config, signal)
  },
})
