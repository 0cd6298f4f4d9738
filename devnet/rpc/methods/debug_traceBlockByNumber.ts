import { JsonText } from '../../json/jsonText.ts'
import { blockNumberReference, params } from '../../json/params.ts'
import { NO_TRACE_CONFIG, traceConfig } from '../../json/schemas/traceConfig.ts'
import { traceBlock } from '../../tracing/traceBlock.ts'
import { tracedBlock } from '../../tracing/tracedBlock.ts'
import { defineMethod } from '../method.ts'
import { debugBlock, traceLimits } from '../queries/debugBlock.ts'

/** With `pending`, the pre-confirmed transactions. */
export default defineMethod({
  params: params(blockNumberReference(), traceConfig().optional()),
  async handle(context, [reference, config = NO_TRACE_CONFIG], { signal }) {
    const { chain, options } = context
    const block = tracedBlock(chain, debugBlock(context, reference))
    return new JsonText(await traceBlock(chain, block, traceLimits(config, options, signal)))
  },
})
