import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { OptionError } from '../devnet/primitives/errors.ts'
import type { NodeAddress } from './rpc-client.ts'

/** What of a Hardhat project says which node is meant. */
export type Project = Pick<HardhatRuntimeEnvironment, 'config' | 'globalOptions'>

/**
 * The node behind the network that `--network` or `HARDHAT_NETWORK` names; `undefined` where neither is given.
 *
 * @throws {OptionError} when there is no such network, or it has no node in another process
 */
export async function networkAddress(project?: Project): Promise<NodeAddress | undefined> {
  // Hardhat's types leave out that it may be missing.
  const name: string | undefined = project?.globalOptions.network
  if (project === undefined || name === undefined) return undefined
  const { networks } = project.config
  const network = Object.hasOwn(networks, name) ? networks[name] : undefined
  if (network === undefined) {
    const names = Object.keys(networks).sort().join(', ')
    throw new OptionError(`There is no network ${JSON.stringify(name)}; there are ${names}.`)
  }
  if (network.type === 'http' && network.pendingNode === undefined) {
    return { url: await network.url.getUrl(), headers: network.httpHeaders }
  }
  const where =
    network.type === 'http'
      ? `Each connection to network "${name}" has a node of its own, in the process of the test: call the methods of connection.pendingNode there`
      : `Network "${name}" is simulated by Hardhat, which has no pending-node`
  throw new OptionError(
    `${where}; a node in another process is named by --url, or by --network with a network that has its url.`,
  )
}
