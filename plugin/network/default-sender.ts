import type { NetworkConnection } from 'hardhat/types/network'
import type { JsonRpcRequest } from 'hardhat/types/providers'
import { isObject, lazy } from '../../devnet/pluginApi.ts'

/** The sender that Hardhat's handlers give to calls: the network's `from`, or the first account. */
export class DefaultSender {
  readonly #connection: NetworkConnection<string>
  readonly #address = lazy(() => this.#find())

  constructor(connection: NetworkConnection<string>) {
    this.#connection = connection
  }

  /** The request of a call with a `from`. */
  async addTo(request: JsonRpcRequest): Promise<JsonRpcRequest> {
    const [call, ...rest]: unknown[] = Array.isArray(request.params) ? request.params : []
    if (!isObject(call) || call.from !== undefined) return request
    const from = await this.#address()
    return from === undefined ? request : { ...request, params: [{ ...call, from }, ...rest] }
  }

  async #find(): Promise<unknown> {
    const { networkConfig, provider } = this.#connection
    if (networkConfig.from !== undefined) return networkConfig.from
    const accounts = await provider.request({ method: 'eth_accounts' })
    return Array.isArray(accounts) ? accounts[0] : undefined
  }
}
