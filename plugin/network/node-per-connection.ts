import { AsyncLocalStorage } from 'node:async_hooks'
import type { HookContext } from 'hardhat/types/hooks'
import type { ChainType, NetworkConnection } from 'hardhat/types/network'
import type { PendingNodeNetwork } from '../network-config.ts'
import { adaptPlugins } from './adapted/adapt-plugins.ts'
import type { LocalNode } from './local-node.ts'
import { addCause, pluginError } from './plugin-error.ts'

/** A connection while it is being made. */
interface Connecting {
  readonly context: HookContext
  /** The node started for this connection; `undefined` until the network's `url` is resolved. */
  node?: Promise<LocalNode>
  /** Set once the connection is made or has failed; async work begun before may still run then. */
  done?: true
}

/**
 * The connection that is being made in this async context. Hardhat resolves the `url` of a network
 * without saying for which connection, and each connection has a node of its own.
 */
const connecting = new AsyncLocalStorage<Connecting | undefined>()

/** The node of the connection being made; `undefined` if its network has none in this process. */
export async function ownNode(): Promise<LocalNode | undefined> {
  return await connecting.getStore()?.node
}

/** Makes a connection with the handlers of all plugins; {@link ownAddress} starts its node. */
export async function newConnection<ChainTypeT extends ChainType | string>(
  context: HookContext,
  next: (nextContext: HookContext) => Promise<NetworkConnection<ChainTypeT>>,
): Promise<NetworkConnection<ChainTypeT>> {
  const made: Connecting = { context }
  try {
    const connection = await connecting.run(made, () => next(context))
    const node = await made.node
    if (node !== undefined) adaptPlugins(connection, context.config, node.devnet)
    return connection
  } catch (error) {
    // The caller does not get this connection and so cannot close it.
    const node = await made.node?.catch(() => undefined)
    await node?.devnet.stop().catch((later: unknown) => addCause(error, later))
    throw error
  } finally {
    // Async work begun meanwhile keeps `made` alive, so it must not keep the node alive too.
    delete made.node
    made.done = true
  }
}

/**
 * The address of the node of the connection that is being made. The first call starts that node.
 *
 * @throws {HardhatPluginError} if no connection is being made, or its node cannot start
 */
export async function ownAddress(
  networkName: string,
  network: PendingNodeNetwork,
): Promise<string> {
  const connection = connecting.getStore()
  if (connection === undefined || connection.done === true) {
    throw pluginError(
      `Each connection to network "${networkName}" has a node of its own, so its configuration has no address: read connection.pendingNode.url.`,
    )
  }
  // Leave this context, because what lives as long as the process would keep the connection alive.
  connection.node ??= connecting.run(undefined, async () => {
    // Imported only now: this loads the chain, which connections to other networks do not need.
    const { LocalNode } = await import('./local-node.ts')
    return await LocalNode.start(networkName, network, connection.context)
  })
  return (await connection.node).devnet.url
}
