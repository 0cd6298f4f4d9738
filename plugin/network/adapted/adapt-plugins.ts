import type { HardhatConfig } from 'hardhat/types/config'
import type { Devnet } from '../../../devnet/index.ts'
import type { Adapted } from './adapted-plugin.ts'
import { adaptEthers } from './hardhat-ethers.ts'
import { adaptIgnition } from './hardhat-ignition.ts'
import { adaptNetworkHelpers } from './hardhat-network-helpers.ts'
import { adaptViem } from './hardhat-viem.ts'

/** By the name of what a plugin adds to a connection. */
const ADAPTERS: Readonly<Record<string, (added: unknown, on: Adapted) => void>> = {
  viem: adaptViem,
  ethers: adaptEthers,
  networkHelpers: adaptNetworkHelpers,
  ignition: adaptIgnition,
}

/**
 * Adapts what other plugins add to a connection to a node of this plugin. Hardhat has no hooks for
 * it: which block is read, by whom and for how long, is settled before a request is made.
 *
 * @param connection - as the handlers of all plugins have made it; what they added is changed in
 * place, so that plugins that already hold it use the adapted form too
 * @throws {HardhatPluginError} if a plugin has not what is to be changed
 */
export function adaptPlugins(
  connection: Adapted['connection'],
  config: HardhatConfig,
  devnet: Devnet,
): void {
  const { networkConfig } = connection
  const node = networkConfig.type === 'http' ? networkConfig.pendingNode : undefined
  // In instant mode `latest` has every transaction, as on `hardhat node`.
  const hasTwoClocks = node?.instant !== true
  const readsPending = hasTwoClocks && node?.defaultBlock !== 'latest'
  for (const [name, adapt] of Object.entries(ADAPTERS)) {
    const added: unknown = Reflect.get(connection, name)
    if (added !== undefined)
      adapt(added, { connection, config, devnet, hasTwoClocks, readsPending })
  }
}
