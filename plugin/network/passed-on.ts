import { AsyncLocalStorage } from 'node:async_hooks'
import type { HookContext } from 'hardhat/types/hooks'
import type { NetworkConnection } from 'hardhat/types/network'
import type { FailedJsonRpcResponse, RequestArguments } from 'hardhat/types/providers'
import type { LocalNode } from './local-node.ts'
import { wrapMethod } from './wrap-method.ts'

/** The answer that Hardhat is to make an error of. */
const failed = new AsyncLocalStorage<FailedJsonRpcResponse>()

/** The answer to the request in this async context, if it is made only for its error. */
export function failedHere(): FailedJsonRpcResponse | undefined {
  return failed.getStore()
}

/**
 * Lets the requests that pass through the handlers of Hardhat and its plugins reach a node in this
 * process without a socket: the provider of an `http` network would send what its handlers pass on
 * over HTTP, which takes longer than a transaction.
 *
 * @param isPassedOn - whether requests of a method pass through these handlers
 */
export function passOnHere(
  { hooks }: Pick<HookContext, 'hooks'>,
  connection: NetworkConnection<string>,
  node: LocalNode,
  isPassedOn: (method: string) => boolean,
): void {
  const { provider } = connection
  let isClosed = false
  let nextId = 1
  wrapMethod(provider, 'close', (close) => {
    isClosed = true
    return close()
  })
  wrapMethod(provider, 'request', async (request, [given]) => {
    // Whatever it is, Hardhat's own provider says what is wrong with it.
    const { method, params = [] } = given as RequestArguments
    if (isClosed || !isPassedOn(method) || !Array.isArray(params)) return await request(given)
    const sent = { jsonrpc: '2.0', id: nextId++, method, params } as const
    const response = await hooks.runHandlerChain(
      'network',
      'onRequest',
      [connection, sent],
      async (_context, _connection, passed) => await node.request(passed),
    )
    if (!('error' in response)) return response.result
    // Hardhat does not export its errors, but makes one of an answer. Handlers in front of that of
    // this plugin see a harmless request.
    return await failed.run(response, () => request({ method: 'preconf_status' }))
  })
}
