import type { HookContext, NetworkHooks } from 'hardhat/types/hooks'
import type { NetworkConnection } from 'hardhat/types/network'
import type { JsonRpcRequest } from 'hardhat/types/providers'
import { ConnectionControls } from '../network/connection-controls.ts'
import { ConnectionRequests } from '../network/connection-requests.ts'
import type { CallTrees } from '../network/failures/call-trees.ts'
import type { ConnectionFailures } from '../network/failures/connection-failures.ts'
import { printsFailures } from '../network/failures/failure-kinds.ts'
import type { LocalNode } from '../network/local-node.ts'
import { ownNode } from '../network/node-per-connection.ts'
import { passOnHere } from '../network/passed-on.ts'
import { addCause } from '../network/plugin-error.ts'
import {
  answerWithPreconfirmed,
  takesPreconfirmedAsLatest,
} from '../network/preconfirmed-as-latest.ts'
import { emitSubscriptions } from '../network/subscription-events.ts'

export default async (): Promise<Partial<NetworkHooks>> => {
  const requests = new WeakMap<NetworkConnection<string>, ConnectionRequests>()

  return {
    async newConnection(context, next) {
      const connection = await next(context)
      const node = await ownNode()
      let explainer: Promise<ConnectionFailures> | undefined
      const failures = () => {
        // Imported only now: most connections have no failures.
        explainer ??= import('../network/failures/connection-failures.ts').then(
          ({ ConnectionFailures }) => new ConnectionFailures(context, connection, node),
        )
        return explainer
      }
      const trees = node && (await treesOf(context, node, failures))
      // Hardhat explains what fails on its own simulated networks.
      if (node !== undefined || connection.networkConfig.type === 'http') {
        requests.set(connection, new ConnectionRequests(connection, { node, trees, failures }))
      }
      if (node !== undefined) {
        if (node.transport === 'in-process') passOnHere(context, connection, node)
        emitSubscriptions(connection, node.devnet.provider)
      }
      connection.pendingNode = new ConnectionControls(connection, node, failures)
      connection[Symbol.asyncDispose] = () => connection.close()
      return connection
    },

    async closeConnection(context, connection, next) {
      const own = requests.get(connection)
      try {
        await next(context, connection)
      } catch (error) {
        await own?.end().catch((later: unknown) => addCause(error, later))
        throw error
      }
      await own?.end()
    },

    async onRequest(context, connection, request, next) {
      const own = requests.get(connection)
      // Not awaited: a stack has room for ten frames, and this would be one of them.
      if (own === undefined) return next(context, connection, request)
      const send = (sent: JsonRpcRequest) => own.send(sent, () => next(context, connection, sent))
      return await (takesPreconfirmedAsLatest(connection)
        ? answerWithPreconfirmed(request, send)
        : send(request))
    },
  }
}

/** Prints the calls of a node's connection; `undefined` if Hardhat prints none. */
async function treesOf(
  context: HookContext,
  node: LocalNode,
  failures: () => Promise<ConnectionFailures>,
): Promise<CallTrees | undefined> {
  if (!printsFailures(context)) return undefined
  const { CallTrees } = await import('../network/failures/call-trees.ts')
  return new CallTrees(context, node, (await failures()).source)
}
