import { callTasks, runCall } from '../heavy/callTasks.ts'
import { defineMethod } from '../method.ts'
import { callParams, callTarget } from '../queries/callTarget.ts'
import { withSender } from '../sending/unlockedAccounts.ts'

/** With `pending`, the call runs on the pre-confirmed state, in the block being built. */
export default defineMethod({
  params: callParams,
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
