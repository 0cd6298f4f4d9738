import { decodeArguments } from '../../rpc/naming/decodeCall.ts'
import { ENCODE_PARAMS, knownCall } from '../contractCalls.ts'
import { defineQuery } from '../query.ts'

/** The calldata of a call, for programs outside of the page. */
export default defineQuery(ENCODE_PARAMS, async (dashboard, params, { signal }) => {
  const { naming } = dashboard.work(signal)
  const { entry, data } = await knownCall(dashboard, naming, params.address, params)
  const list = decodeArguments((address) => address, entry.inputs, `0x${data.slice(10)}`)
  // The arguments as the contract gets them.
  return { data, arguments: list }
})
