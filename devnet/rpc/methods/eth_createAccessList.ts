import { executionTarget } from '../../execution/executionTarget.ts'
import { blockReference, params } from '../../json/params.ts'
import { requireBlock } from '../../json/resolveBlock.ts'
import { callRequest } from '../../json/schemas/callRequest.ts'
import { stateOverrides } from '../../json/schemas/stateOverrides.ts'
import { quantity } from '../../primitives/hex.ts'
import { optional } from '../../primitives/reader.ts'
import { callTasks } from '../heavy/callTasks.ts'
import { defineMethod } from '../method.ts'
import { withFeeCap } from '../sending/transactionRequest.ts'

/** The result has a list even if the call fails; `error` then holds the reason. */
export default defineMethod({
  params: params(callRequest(), optional(blockReference()), optional(stateOverrides())),
  remote: 'state',
  readsState: true,
  sender: (_, [request]) => request.from,
  async handle(context, [request, reference, state], { signal }) {
    const { chain, heavy, options } = context
    const target = executionTarget(chain, requireBlock(context, reference))
    const { accessList, failure, gasUsed } = await heavy.run(
      callTasks.createAccessList,
      target,
      {
        block: target.block,
        // As in geth, where a call and an estimate with only a tip are refused nevertheless.
        request: withFeeCap(request, target.block),
        stateOverrides: state,
        gasCap: BigInt(options.callGasLimit),
        likeHardhat: options.likeHardhat,
      },
      { signal, timeout: options.simulateTimeout },
    )
    return {
      accessList,
      ...(failure === undefined ? undefined : { error: failure }),
      gasUsed: quantity(gasUsed),
    }
  },
})
