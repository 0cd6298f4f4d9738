import { blockHash, params } from '../../json/params.ts'
import { traceConfig } from '../../json/schemas/traceConfig.ts'
import { tracedBlock } from '../../tracing/tracedBlock.ts'
import { defineMethod } from '../method.ts'
import { debugBlock, traceBlockText } from '../queries/debugBlock.ts'

export default defineMethod({
  params: params(blockHash(), traceConfig()),
  remote: 'block',
  async handle(context, [hash, config], { signal }) {
    const block = tracedBlock(context.chain, debugBlock(context, { hash, requireCanonical: false }))
    return traceBlockText(context, block, config, signal)
  },
})
