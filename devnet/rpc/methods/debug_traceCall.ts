import type { SealedBlock } from '../../chain/block.ts'
import type { Chain } from '../../chain/chain.ts'
import type { PendingView } from '../../chain/pendingView.ts'
import { RefusedError } from '../../errors.ts'
import { executionTarget } from '../../execution/target.ts'
import { type MiddleOfBlock, traceCall } from '../../execution/tracing/traceCall.ts'
import { tracedBlock } from '../../execution/tracing/tracedBlock.ts'
import { debugBlock } from '../debugBlock.ts'
import { JsonText } from '../jsonText.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { findNamedBlock } from '../resolveBlock.ts'
import { blockReference } from '../schemas/blockReference.ts'
import { callRequest } from '../schemas/callRequest.ts'
import { NO_TRACE_CALL_CONFIG, traceCallConfig } from '../schemas/traceConfig.ts'
import { traceLimits } from '../traceLimits.ts'

/** The block has fewer transactions than are to run before the call: code -32000, in geth's words. */
export class TransactionIndexError extends RefusedError {
  override name = 'TransactionIndexError'
  constructor(index: bigint, count: number) {
    super(`transaction index ${index} out of range for a block with ${count} transactions`)
  }
}

/** With `pending`, after what is pre-confirmed. */
export default defineMethod({
  params: params(callRequest(), blockReference().optional(), traceCallConfig().optional()),
  async handle(context, [request, reference, config = NO_TRACE_CALL_CONFIG], { signal }) {
    const { chain, options } = context
    const { stateOverrides, blockOverrides, txIndex } = config
    const block = debugBlock(context, reference, findNamedBlock)
    const limits = {
      ...traceLimits(config, options, signal),
      stateOverrides,
      blockOverrides,
      gasCap: BigInt(options.callGasLimit),
    }
    const middle = txIndex === undefined ? undefined : middleOf(chain, block, txIndex)
    const target = executionTarget(chain, block)
    return new JsonText(await traceCall(chain, target, request, limits, middle))
  },
})

function middleOf(chain: Chain, block: SealedBlock | PendingView, index: bigint): MiddleOfBlock {
  const traced = tracedBlock(chain, block)
  const count = traced.transactions.length
  if (index >= count) throw new TransactionIndexError(index, count)
  return { block: traced, index: Number(index) }
}
