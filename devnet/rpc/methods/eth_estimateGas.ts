import { plainTransferGas } from '../../execution/estimate.ts'
import { blockReference, params } from '../../json/params.ts'
import { blockOverrides } from '../../json/schemas/blockOverrides.ts'
import { callRequest } from '../../json/schemas/callRequest.ts'
import { stateOverrides } from '../../json/schemas/stateOverrides.ts'
import { quantity } from '../../primitives/hex.ts'
import { optional } from '../../primitives/reader.ts'
import { isPendingTag } from '../../protocol/blockReference.ts'
import { callTasks, runCall } from '../heavy/callTasks.ts'
import { defineMethod } from '../method.ts'
import { callTarget } from '../queries/callTarget.ts'
import { withSender } from '../sending/unlockedAccounts.ts'

/** Estimates on `pending` by default, because the transaction will run there; see the profile. */
export default defineMethod({
  params: params(
    callRequest(),
    optional(blockReference()),
    optional(stateOverrides()),
    optional(blockOverrides()),
  ),
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
