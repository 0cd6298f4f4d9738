import { blockReference, params } from '../../json/params.ts'
import { blockOverrides } from '../../json/schemas/blockOverrides.ts'
import { callRequest } from '../../json/schemas/callRequest.ts'
import { stateOverrides } from '../../json/schemas/stateOverrides.ts'
import { optional } from '../../primitives/reader.ts'
import { callTasks, runCall } from '../heavy/callTasks.ts'
import { defineMethod } from '../method.ts'
import { callTarget } from '../queries/callTarget.ts'
import { withSender } from '../sending/unlockedAccounts.ts'

/** With `pending`, the call runs on the pre-confirmed state, in the block being built. */
export default defineMethod({
  params: params(
    callRequest(),
    optional(blockReference()),
    optional(stateOverrides()),
    optional(blockOverrides()),
  ),
  remote: 'state',
  readsState: true,
  sender: (_, [request]) => request.from,
  async handle(context, [given, reference, state, block], { signal }) {
    const target = callTarget(context, reference)
    const request = withSender(context, given)
    const call = { request, stateOverrides: state, blockOverrides: block }
    const { returnData } = await runCall(context, callTasks.call, target, call, {
      signal,
      onPrint: (printed, call) => context.observer.printed('eth_call', call, printed),
    })
    return returnData
  },
})
