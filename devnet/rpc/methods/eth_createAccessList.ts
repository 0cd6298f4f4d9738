import { createAccessList } from '../../execution/accessList.ts'
import { executionTarget } from '../../execution/target.ts'
import { quantity } from '../format/quantity.ts'
import { defineMethod } from '../method.ts'
import { params } from '../params.ts'
import { requireBlock } from '../resolveBlock.ts'
import { blockReference } from '../schemas/blockReference.ts'
import { callRequest } from '../schemas/callRequest.ts'
import { stateOverrides } from '../schemas/stateOverrides.ts'

/** A call that fails has a list, too, and `error` says why. */
export default defineMethod({
  params: params(callRequest(), blockReference().optional(), stateOverrides().optional()),
  async handle(context, [request, reference, state], { signal }) {
    const { chain, options } = context
    const target = executionTarget(chain, requireBlock(context, reference))
    const { accessList, failure, gasUsed } = await createAccessList(chain, target, request, {
      stateOverrides: state,
      gasCap: BigInt(options.callGasLimit),
      timeout: options.simulateTimeout,
      signal,
    })
    return {
      accessList,
      ...(failure === undefined ? undefined : { error: failure }),
      gasUsed: quantity(gasUsed),
    }
  },
})
