import { executionTarget } from '../../execution/executionTarget.ts'
import { blockReference, params } from '../../json/params.ts'
import { requireBlock } from '../../json/resolveBlock.ts'
import { callRequest } from '../../json/schemas/callRequest.ts'
import { stateOverrides } from '../../json/schemas/stateOverrides.ts'
import { quantity } from '../../primitives/hex.ts'
import { optional } from '../../primitives/reader.ts'
import { callTasks, runCall } from '../heavy/callTasks.ts'
import { defineMethod } from '../method.ts'
import { withFeeCap } from '../sending/transactionRequest.ts'

/** The result has a list even if the call fails; `error` then holds the reason. */
export default defineMethod({
  params: params(callRequest(), optional(blockReference()), optional(stateOverrides())),
  remote: 'state',
  readsState: true,
  sender: (_, [request]) => request.from,
  async handle(context, [given, reference, state], { signal }) {
    const target = executionTarget(context.chain, requireBlock(context, reference))
    // As in geth, where a call and an estimate with only a tip are refused nevertheless.
    const call = { request: withFeeCap(given, target.block), stateOverrides: state }
    const task = callTasks.createAccessList
    const { accessList, failure, gasUsed } = await runCall(context, task, target, call, { signal })
    return {
      accessList,
      ...(failure === undefined ? undefined : { error: failure }),
      gasUsed: quantity(gasUsed),
    }
  },
})
