import { JsonText } from '../../json/jsonText.ts'
import { data, params } from '../../json/params.ts'
import { NO_TRACE_CONFIG, traceConfig } from '../../json/schemas/traceConfig.ts'
import { fromHex } from '../../primitives/hex.ts'
import { traceBlock } from '../../tracing/traceBlock.ts'
import { decodeTracedBlock } from '../../tracing/tracedBlock.ts'
import { defineMethod } from '../method.ts'
import { traceLimits } from '../queries/debugBlock.ts'

/** A block as RLP; its parent must be in the chain. */
export default defineMethod({
  params: params(data(), traceConfig().optional()),
  async handle({ chain, options }, [bytes, config = NO_TRACE_CONFIG], { signal }) {
    const block = await decodeTracedBlock(chain, fromHex(bytes), signal)
    return new JsonText(await traceBlock(chain, block, traceLimits(config, options, signal)))
  },
})
