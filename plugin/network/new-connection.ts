import type { HookContext } from 'hardhat/types/hooks'
import type { ChainType, NetworkConnection } from 'hardhat/types/network'
import { type Connecting, connecting } from './connecting.ts'

/** Makes a connection by the handlers of all plugins, to a node of its own where its network asks for one. */
export async function newConnection<ChainTypeT extends ChainType | string>(
  context: HookContext,
  next: (nextContext: HookContext) => Promise<NetworkConnection<ChainTypeT>>,
): Promise<NetworkConnection<ChainTypeT>> {
  const made: Connecting = {}
  try {
    const connection = await connecting.run(made, () => next(context))
    await fitOtherPlugins(connection, context)
    return connection
  } catch (error) {
    // Nobody gets this connection, so nobody would close it.
    const node = await made.node?.catch(() => undefined)
    await node?.stop()
    throw error
  } finally {
    // Whatever began meanwhile remembers `made` for as long as it lives.
    delete made.node
    made.done = true
  }
}

/** After all plugins: hardhat-viem and hardhat-ignition add their part in their turn. */
async function fitOtherPlugins(
  connection: Pick<NetworkConnection, 'networkConfig'>,
  { config }: HookContext,
): Promise<void> {
  const { networkConfig } = connection
  const node = networkConfig.type === 'http' ? networkConfig.pendingNode : undefined
  if (node === undefined) return
  const [{ readPending }, { deployAnew }] = await Promise.all([
    import('./viem-client.ts'),
    import('./ignition.ts'),
  ])
  // In instant mode "latest" has everything, as on hardhat node.
  if (node.instant !== true) readPending(connection)
  deployAnew(connection, config)
}
