import { traceBlock } from '../../execution/tracing/traceBlock.ts'
import { tracedBlock } from '../../execution/tracing/tracedBlock.ts'
import { debugBlock } from '../debugBlock.ts'
import { JsonText } from '../jsonText.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { hash32 } from '../schemas/hex.ts'
import { NO_TRACE_CONFIG, traceConfig } from '../schemas/traceConfig.ts'
import { traceLimits } from '../traceLimits.ts'

export default defineMethod({
  params: params(hash32(), traceConfig().optional()),
  async handle(context, [hash, config = NO_TRACE_CONFIG], { signal }) {
    const { chain, options } = context
    const block = tracedBlock(chain, debugBlock(context, { hash, requireCanonical: false }))
    return new JsonText(await traceBlock(chain, block, traceLimits(config, options, signal)))
  },
})
