import type { NetworkConnection } from 'hardhat/types/network'
import type { JsonRpcRequest } from 'hardhat/types/providers'

/** What Hardhat gives a sender where it has none, besides sends. */
const callMethods: ReadonlySet<string> = new Set(['eth_call', 'eth_estimateGas'])

/**
 * Adds the `from` that Hardhat's own handlers, which a request that is answered in process does not pass, would have
 * added to a call: the network's, or the first account.
 */
export class Senders {
  readonly #connection: NetworkConnection<string>
  #sender: Promise<unknown> | undefined

  constructor(connection: NetworkConnection<string>) {
    this.#connection = connection
  }

  /** At once where there is nothing to add. */
  complete(request: JsonRpcRequest): JsonRpcRequest | Promise<JsonRpcRequest> {
    if (!callMethods.has(request.method) || !Array.isArray(request.params)) return request
    const [call, ...rest]: unknown[] = request.params
    if (typeof call !== 'object' || call === null || Array.isArray(call)) return request
    if ('from' in call && call.from !== undefined) return request
    this.#sender ??= this.#find()
    return this.#sender.then((from) =>
      from === undefined ? request : { ...request, params: [{ ...call, from }, ...rest] },
    )
  }

  async #find(): Promise<unknown> {
    const { networkConfig, provider } = this.#connection
    if (networkConfig.from !== undefined) return networkConfig.from
    const accounts = await provider.request({ method: 'eth_accounts' })
    return Array.isArray(accounts) ? accounts[0] : undefined
  }
}
