import { AsyncLocalStorage } from 'node:async_hooks'
import type { HttpNetworkConfig } from 'hardhat/types/config'
import type { PendingNodeConfig } from '../types.ts'
import type { LocalNode } from './local-node.ts'
import { pluginError } from './plugin-error.ts'

/** A network with a node of its own, resolved but for its address. */
export type PendingNodeNetwork = HttpNetworkConfig & { readonly pendingNode: PendingNodeConfig }

/** A connection that is being made. */
export interface Connecting {
  /** The node that was started for it; `undefined` while nobody has asked for its address. */
  node?: Promise<LocalNode>
  /** It is made, or never will be: what began meanwhile may still remember it. */
  done?: true
}

/**
 * Whose connection is being made. Hardhat asks a network for its address while it makes a connection and does not say for which, and
 * each has a node of its own.
 */
export const connecting = new AsyncLocalStorage<Connecting | undefined>()

/**
 * The address of the node that belongs to the connection being made, which starts when it is first asked for.
 *
 * @throws {HardhatPluginError} when no connection is being made, or its node cannot start
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
  // Outside, so that nothing that lives as long as the process keeps this connection.
  connection.node ??= connecting.run(undefined, () => start(networkName, network))
  return (await connection.node).url
}

async function start(networkName: string, network: PendingNodeNetwork): Promise<LocalNode> {
  // Only here: this loads the chain, and connections to other networks need none.
  const { LocalNode } = await import('./local-node.ts')
  return await LocalNode.start(networkName, network)
}
