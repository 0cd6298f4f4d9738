import type { NetworkConnection } from 'hardhat/types/network'
import type { JsonRpcRequest } from 'hardhat/types/providers'
import { isObject, lazy } from '../../devnet/pluginApi.ts'

/** Gives the request of a call a `from`, if it has none. */
export type AddSender = (request: JsonRpcRequest) => Promise<JsonRpcRequest>

/** Adds the sender that Hardhat's handlers add: the network's `from`, or the first account. */
export function defaultSender(connection: NetworkConnection<string>): AddSender {
  const { networkConfig, provider } = connection
  const address = lazy(async () => {
    if (networkConfig.from !== undefined) return networkConfig.from
    const accounts = await provider.request({ method: 'eth_accounts' })
    return Array.isArray(accounts) ? accounts[0] : undefined
  })
  return async (request) => {
    const [call, ...rest]: unknown[] = Array.isArray(request.params) ? request.params : []
    if (!isObject(call) || call.from !== undefined) return request
    const from: unknown = await address()
    return from === undefined ? request : { ...request, params: [{ ...call, from }, ...rest] }
  }
}
