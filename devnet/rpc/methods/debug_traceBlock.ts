import { fromHex } from '../../chain/bytes.ts'
import { foreignBlock } from '../../execution/tracing/foreignBlock.ts'
import { traceBlock } from '../../execution/tracing/traceBlock.ts'
import { JsonText } from '../jsonText.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { data } from '../schemas/hex.ts'
import { NO_TRACE_CONFIG, traceConfig } from '../schemas/traceConfig.ts'
import { traceLimits } from '../traceLimits.ts'

/** A block as RLP; its parent must be one of the chain. */
export default defineMethod({
  params: params(data(), traceConfig().optional()),
  async handle({ chain, options }, [bytes, config = NO_TRACE_CONFIG], { signal }) {
    const block = await foreignBlock(chain, fromHex(bytes), signal)
    return new JsonText(await traceBlock(chain, block, traceLimits(config, options, signal)))
  },
})
