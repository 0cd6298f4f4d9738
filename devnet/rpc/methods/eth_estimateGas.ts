import { plainTransferGas } from '../../execution/estimate.ts'
import { quantity } from '../../primitives/hex.ts'
import { isPendingTag } from '../../protocol/blockReference.ts'
import { callTasks, runCall } from '../heavy/callTasks.ts'
import { defineMethod } from '../method.ts'
import { callParams, callTarget } from '../queries/callTarget.ts'
import { withSender } from '../sending/unlockedAccounts.ts'

/** Estimates on `pending` by default, because the transaction will run there; see the profile. */
export default defineMethod({
  params: callParams,
  remote: 'state',
  readsState: true,
  reads: ({ profile }, [, reference = { tag: profile.estimateBlock }]) =>
    isPendingTag(reference) ? 'pending block' : undefined,
  sender: (_, [request]) => request.from,
  async handle(context, [given, reference, state, block], { signal }) {
    const { observer, options, profile } = context
    const target = callTarget(context, reference ?? { tag: profile.estimateBlock })
    const request = withSender(context, given)
    // Anvil does not ask whether the sender has the funds.
    if (options.anvil && state === undefined) {
      const rules = context.chain.engine.schedule.at(target.block.number, target.block.timestamp)
      const gas = plainTransferGas(request, target.state, rules)
      if (gas !== undefined) return quantity(gas)
    }
    const call = { request, stateOverrides: state, blockOverrides: block }
    const gas = await runCall(context, callTasks.estimateGas, target, call, {
      signal,
      onPrint: (printed, call) => observer.printed('eth_estimateGas', call, printed),
    })
    return quantity(gas)
  },
})
