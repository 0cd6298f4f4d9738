import type { HookContext, NetworkHooks } from 'hardhat/types/hooks'
import type { ChainType, NetworkConnection } from 'hardhat/types/network'
import type { JsonRpcRequest, JsonRpcResponse } from 'hardhat/types/providers'
import { connecting } from '../network/connecting.ts'
import { ConnectionControls } from '../network/controls.ts'
import type { LocalNode } from '../network/local-node.ts'
import { SendQueue } from '../network/send-queue.ts'
import { Senders } from '../network/senders.ts'

/** A connection whose node is in this process. */
interface Local {
  readonly node: LocalNode
  readonly senders: Senders
  readonly sends: SendQueue
}

export default async (): Promise<Partial<NetworkHooks>> => {
  const locals = new WeakMap<NetworkConnection<string>, Local>()

  const handlers: Partial<NetworkHooks> = {
    async newConnection<ChainTypeT extends ChainType | string>(
      context: HookContext,
      next: (nextContext: HookContext) => Promise<NetworkConnection<ChainTypeT>>,
    ) {
      const connection = await next(context)
      const node = await connecting.getStore()?.node
      if (node !== undefined) {
        const [senders, sends] = [new Senders(connection), new SendQueue()]
        locals.set(connection, { node, senders, sends })
      }
      connection.pendingNode = new ConnectionControls(connection, node)
      connection[Symbol.asyncDispose] = () => connection.close()
      return connection
    },

    async closeConnection<ChainTypeT extends ChainType | string>(
      context: HookContext,
      connection: NetworkConnection<ChainTypeT>,
      next: (
        nextContext: HookContext,
        nextConnection: NetworkConnection<ChainTypeT>,
      ) => Promise<void>,
    ) {
      try {
        await next(context, connection)
      } finally {
        await locals.get(connection)?.node.stop()
      }
    },

    async onRequest<ChainTypeT extends ChainType | string>(
      context: HookContext,
      connection: NetworkConnection<ChainTypeT>,
      request: JsonRpcRequest,
      next: (
        nextContext: HookContext,
        nextConnection: NetworkConnection<ChainTypeT>,
        nextRequest: JsonRpcRequest,
      ) => Promise<JsonRpcResponse>,
    ) {
      const local = locals.get(connection)
      if (local === undefined || local.node.transport === 'http') {
        return await next(context, connection, request)
      }
      if (request.method === 'eth_sendTransaction') {
        return await local.sends.run(() => next(context, connection, request))
      }
      if (isHardhats(request.method)) return await next(context, connection, request)
      return await local.node.request(await local.senders.complete(request))
    },
  }

  return handlers
}

/** Whether Hardhat and its plugins have a say in a method, besides sends: they sign for accounts of their own. */
function isHardhats(method: string): boolean {
  return hardhatsMethods.has(method) || /^(?:personal|wallet)_|^eth_signTypedData/.test(method)
}

const hardhatsMethods: ReadonlySet<string> = new Set([
  'eth_accounts',
  'eth_requestAccounts',
  'eth_sign',
  'eth_signTransaction',
])
