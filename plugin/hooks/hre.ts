import type { HardhatRuntimeEnvironmentHooks, HookContext } from 'hardhat/types/hooks'
import type { ChainType, NetworkConnection } from 'hardhat/types/network'
import { type Connecting, connecting } from '../network/connection-url.ts'

/** Handlers that are registered here are around those of all plugins, wherever this one is in their list. */
export default async (): Promise<Partial<HardhatRuntimeEnvironmentHooks>> => ({
  created: async (_context, hre) => hre.hooks.registerHandlers('network', { newConnection }),
})

async function newConnection<ChainTypeT extends ChainType | string>(
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
    import('../network/viem.ts'),
    import('../network/ignition.ts'),
  ])
  // In instant mode "latest" has everything, as on hardhat node.
  if (node.instant !== true) readPending(connection)
  deployAnew(connection, config)
}
