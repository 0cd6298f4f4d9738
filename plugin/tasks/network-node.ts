import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import type { TaskArguments, TaskOverrideActionFunction } from 'hardhat/types/tasks'
import { plainText } from '../../devnet/pluginApi.ts'
import { nodeOptions } from '../network/node-options.ts'
import { pluginError } from '../network/plugin-error.ts'
import type { PendingNodeNetwork } from '../network-config.ts'
import { reported } from './reported.ts'

/**
 * The action of `npx hardhat node`: with `--network` and a network of this plugin, it starts a node
 * with that network's options; with any other, Hardhat's own.
 */
export const runNetworkNode: TaskOverrideActionFunction = async (args, hre, runSuper) => {
  const network = ownNetwork(hre)
  if (network === undefined) return await runSuper(args)
  return await reported(async () => {
    const options = await taskOptions(network, args)
    const { createAndRunNode } = await import('./run-node.ts')
    process.exitCode = await createAndRunNode(options, {
      artifacts: hre.config.paths.artifacts,
      root: hre.config.paths.root,
      ...(network.stackTraces === false
        ? {}
        : { project: { context: hre, networkName: networkNameOf(hre) } }),
    })
  })
}

function networkNameOf({ globalOptions }: HardhatRuntimeEnvironment): string {
  return globalOptions.network ?? 'node'
}

function ownNetwork(hre: HardhatRuntimeEnvironment): PendingNodeNetwork | undefined {
  const network = hre.config.networks[networkNameOf(hre)]
  if (network?.type !== 'http' || network.pendingNode === undefined) return undefined
  return { ...network, pendingNode: network.pendingNode }
}

/** The value that Hardhat's `node` takes for "not given". */
const NO_NUMBER = -1
const DEFAULT_PORT = 8545

const CHAIN_TYPES: ReadonlySet<unknown> = new Set(['l1', 'generic', 'op'])

/** Options of the node: those of the network, and what the task was given. */
async function taskOptions(
  { pendingNode, chainId, chainType: ownType }: PendingNodeNetwork,
  { hostname, port, chainId: givenId, fork, forkBlockNumber: block, chainType }: TaskArguments,
): Promise<Readonly<Record<string, unknown>>> {
  if (chainType !== undefined && !CHAIN_TYPES.has(chainType)) {
    throw pluginError(`This network can be of chain type l1 or op, not ${plainText(chainType)}.`)
  }
  if (fork !== undefined && typeof fork !== 'string') throw pluginError('--fork must be a URL.')
  const options = await nodeOptions(pendingNode, {
    chainType: chainType === 'op' ? chainType : ownType,
    ...(fork === undefined ? {} : { fork }),
  })
  const id = givenId === NO_NUMBER ? (options.chainId ?? chainId) : givenId
  return {
    ...options,
    ...(block === NO_NUMBER ? {} : { forkBlockNumber: block }),
    ...(id === undefined || options.genesis !== undefined ? {} : { chainId: id }),
    port: port === DEFAULT_PORT ? (options.port ?? port) : port,
    hostname: hostname ?? options.hostname,
  }
}
