import { call } from '../../execution/call.ts'
import { executionTarget } from '../../execution/target.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { requireBlock } from '../resolveBlock.ts'
import { blockOverrides } from '../schemas/blockOverrides.ts'
import { blockReference } from '../schemas/blockReference.ts'
import { callRequest } from '../schemas/callRequest.ts'
import { stateOverrides } from '../schemas/stateOverrides.ts'

/** With `pending`, on the pre-confirmed state and in the block that is being built. */
export default defineMethod({
  params: params(
    callRequest(),
    blockReference().optional(),
    stateOverrides().optional(),
    blockOverrides().optional(),
  ),
  async handle(context, [request, reference, state, block], { signal }) {
    const { chain, options } = context
    const target = executionTarget(chain, requireBlock(context, reference))
    const { returnData } = await call(chain, target, request, {
      stateOverrides: state,
      blockOverrides: block,
      gasCap: BigInt(options.callGasLimit),
      timeout: options.simulateTimeout,
      signal,
      onPrint: (printed, call) => context.observer.printed('eth_call', call, printed),
    })
    return returnData
  },
})
