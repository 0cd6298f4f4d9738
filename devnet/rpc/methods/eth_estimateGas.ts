import type { BlockReference } from '../../chain/blockReference.ts'
import { estimateGas } from '../../execution/estimate.ts'
import { executionTarget } from '../../execution/target.ts'
import { quantity } from '../format/quantity.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { requireBlock } from '../resolveBlock.ts'
import { blockOverrides } from '../schemas/blockOverrides.ts'
import { blockReference } from '../schemas/blockReference.ts'
import { callRequest } from '../schemas/callRequest.ts'
import { stateOverrides } from '../schemas/stateOverrides.ts'

const PENDING: BlockReference = { tag: 'pending' }

/** By default on `pending`, where the transaction is going to run. */
export default defineMethod({
  params: params(
    callRequest(),
    blockReference().optional(),
    stateOverrides().optional(),
    blockOverrides().optional(),
  ),
  async handle(context, [request, reference = PENDING, state, block], { signal }) {
    const { chain, options } = context
    const target = executionTarget(chain, requireBlock(context, reference))
    const gas = await estimateGas(chain, target, request, {
      stateOverrides: state,
      blockOverrides: block,
      gasCap: BigInt(options.callGasLimit),
      timeout: options.simulateTimeout,
      signal,
      onPrint: (printed, call) => context.observer.printed('eth_estimateGas', call, printed),
    })
    return quantity(gas)
  },
})
