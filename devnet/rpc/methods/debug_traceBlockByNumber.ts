import { traceBlock } from '../../execution/tracing/traceBlock.ts'
import { tracedBlock } from '../../execution/tracing/tracedBlock.ts'
import { debugBlock } from '../debugBlock.ts'
import { JsonText } from '../jsonText.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { blockNumberReference } from '../schemas/blockReference.ts'
import { NO_TRACE_CONFIG, traceConfig } from '../schemas/traceConfig.ts'
import { traceLimits } from '../traceLimits.ts'

/** With `pending`, what is pre-confirmed. */
export default defineMethod({
  params: params(blockNumberReference(), traceConfig().optional()),
  async handle(context, [reference, config = NO_TRACE_CONFIG], { signal }) {
    const { chain, options } = context
    const block = tracedBlock(chain, debugBlock(context, reference))
    return new JsonText(await traceBlock(chain, block, traceLimits(config, options, signal)))
  },
})
