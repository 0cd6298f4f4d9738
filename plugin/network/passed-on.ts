import type { HookContext } from 'hardhat/types/hooks'
import type { NetworkConnection } from 'hardhat/types/network'
import type { FailedJsonRpcResponse, RequestArguments } from 'hardhat/types/providers'
import type { LocalNode } from './local-node.ts'
import { wrapMethod } from './wrap-method.ts'

/** Methods that Hardhat and its plugins handle, to sign for their own accounts. */
const HARDHAT_METHODS =
  /^(?:personal_|wallet_|eth_signTypedData|eth_(?:accounts|requestAccounts|sign|signTransaction|sendTransaction)$)/

/** True if Hardhat's own handlers have a say in a request. */
export function isPassedOn(method: string): boolean {
  return HARDHAT_METHODS.test(method)
}

/**
 * Lets the requests that pass through the handlers of Hardhat and its plugins reach a node in this
 * process without a socket: the provider of an `http` network would send what its handlers pass on
 * over HTTP, which takes longer than a transaction. No hook of Hardhat comes behind its own
 * handlers, so the provider is changed.
 */
export function passOnHere(
  { hooks }: Pick<HookContext, 'hooks'>,
  connection: NetworkConnection<string>,
  node: LocalNode,
): void {
  const { provider } = connection
  let isClosed = false
  let nextId = 1
  wrapMethod(provider, 'close', (close) => {
    isClosed = true
    return close()
  })
  const passOn = async (method: string, params: unknown[]) => {
    const sent = { jsonrpc: '2.0', id: nextId++, method, params } as const
    const response = await hooks.runHandlerChain(
      'network',
      'onRequest',
      [connection, sent],
      async (_context, _connection, passed) => await node.request(passed),
    )
    if ('error' in response) throw new ProviderError(response)
    return response.result
  }
  wrapMethod(provider, 'request', (request, [given]) => {
    // Whatever it is, Hardhat's own provider says what is wrong with it.
    const { method = '', params = [] }: Partial<RequestArguments> = given ?? {}
    if (isClosed || !isPassedOn(method) || !Array.isArray(params)) return request(given)
    return passOn(method, params)
  })
}

/**
 * An answer of a node that is an error. It stands for the `ProviderError` of Hardhat, which does
 * not export it: libraries know it by its name and its code, Hardhat by a property.
 */
class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly code: number
  readonly data: unknown

  constructor({ error: { message, code, data } }: FailedJsonRpcResponse) {
    super(message)
    this.code = code
    this.data = data
    Object.defineProperty(this, '_isProviderError', { value: true })
  }
}
