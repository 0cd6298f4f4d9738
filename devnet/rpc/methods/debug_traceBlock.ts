import { data, params } from '../../json/params.ts'
import { traceConfig } from '../../json/schemas/traceConfig.ts'
import { fromHex } from '../../primitives/hex.ts'
import { decodeTracedBlock } from '../../tracing/tracedBlock.ts'
import { defineMethod } from '../method.ts'
import { traceBlockText } from '../queries/debugBlock.ts'

/** Traces a block given as RLP; its parent must be in the chain. */
export default defineMethod({
  params: params(data(), traceConfig()),
  remote: 'encoded block',
  async handle(context, [bytes, config], { signal }) {
    const block = await decodeTracedBlock(context.chain, fromHex(bytes), signal)
    return traceBlockText(context, block, config, signal)
  },
})
