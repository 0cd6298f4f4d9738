import type { PendingView } from '../../chain/building/pendingView.ts'
import type { Chain } from '../../chain/chain.ts'
import { executionTarget } from '../../execution/executionTarget.ts'
import { blockReference, params } from '../../json/params.ts'
import { findNamedBlock } from '../../json/resolveBlock.ts'
import { callRequest } from '../../json/schemas/callRequest.ts'
import { traceCallConfig } from '../../json/schemas/traceConfig.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { isObject } from '../../primitives/json.ts'
import { optional } from '../../primitives/reader.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import { type MiddleOfBlock, traceCall } from '../../tracing/traceCall.ts'
import { tracedBlock } from '../../tracing/tracedBlock.ts'
import { defineMethod } from '../method.ts'
import { debugBlock, traceLimits } from '../queries/debugBlock.ts'

/** With `pending`, the call runs after the pre-confirmed transactions. */
export default defineMethod({
  params: params(callRequest(), optional(blockReference()), traceCallConfig()),
  // Within the fork block, the call runs behind transactions that only the upstream has.
  remote: ([, , config]) =>
    isObject(config) && (config.txIndex ?? null) !== null ? 'block' : 'state',
  // With an index, the call runs inside the block, not on the state after it.
  readsState: ([, , config]) => config.txIndex === undefined,
  async handle(context, [request, reference, config], { signal }) {
    const { chain, options } = context
    const { stateOverrides, blockOverrides, txIndex } = config
    const block = debugBlock(context, reference, findNamedBlock)
    const trace = await traceCall(chain, executionTarget(chain, block), request, {
      ...traceLimits(config, options, signal),
      stateOverrides,
      blockOverrides,
      gasCap: BigInt(options.callGasLimit),
      likeHardhat: options.likeHardhat,
      middle: txIndex === undefined ? undefined : middleOf(chain, block, txIndex),
    })
    return trace
  },
})

function middleOf(chain: Chain, block: SealedBlock | PendingView, index: bigint): MiddleOfBlock {
  const traced = tracedBlock(chain, block)
  const count = traced.transactions.length
  if (index >= count) {
    // Same message as geth.
    throw new RefusedError(
      `transaction index ${index} out of range for a block with ${count} transactions`,
    )
  }
  return { block: traced, index: Number(index) }
}
