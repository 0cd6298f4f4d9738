import { randomUUID } from 'node:crypto'
import { rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { HardhatConfig } from 'hardhat/types/config'
import type { NetworkConnection } from 'hardhat/types/network'
import { isObject } from '../../devnet/pluginApi.ts'

/**
 * Adapts what hardhat-viem and hardhat-ignition add to a connection to a node of this plugin. Does
 * nothing without them, or on a network without `pendingNode`.
 *
 * @param connection - as the handlers of all plugins have made it
 */
export function fitOtherPlugins(
  connection: Pick<NetworkConnection, 'networkConfig'>,
  config: HardhatConfig,
): void {
  const { networkConfig } = connection
  const node = networkConfig.type === 'http' ? networkConfig.pendingNode : undefined
  if (node === undefined) return
  const viem: unknown = Reflect.get(connection, 'viem')
  // In instant mode `latest` has every transaction, as on `hardhat node`.
  if (isViemHelpers(viem) && node.instant !== true) readPending(viem)
  const ignition: unknown = Reflect.get(connection, 'ignition')
  const folder: unknown = Reflect.get(config.paths, 'ignition')
  if (isIgnitionHelper(ignition) && typeof folder === 'string') deployAfresh(ignition, folder)
}

/** The part of `connection.viem` that is changed. */
interface ViemHelpers {
  getPublicClient(config?: object): Promise<object>
}

function isViemHelpers(value: unknown): value is ViemHelpers {
  return isObject(value) && 'getPublicClient' in value
}

/** Helpers whose third argument may name the clients that a contract reads and writes with. */
const CONTRACT_HELPERS = ['getContractAt', 'deployContract', 'sendDeploymentTransaction'] as const

type ContractHelper = (
  contract: unknown,
  second: unknown,
  config?: { readonly client?: object },
) => unknown

/**
 * Makes the public clients and contracts of hardhat-viem read `pending` by default, as viem does on
 * chains with `experimental_preconfirmationTime`. A client made with
 * `experimental_blockTag: 'latest'` keeps reading `latest`.
 *
 * @param viem - changed in place, so that plugins that already hold it read `pending` too
 */
function readPending(viem: ViemHelpers): void {
  const original = viem.getPublicClient
  viem.getPublicClient = (config) => original({ experimental_blockTag: 'pending', ...config })
  for (const name of CONTRACT_HELPERS) {
    const helper: unknown = Reflect.get(viem, name)
    if (typeof helper !== 'function') continue
    const wrapped: ContractHelper = async (contract, second, config = {}) => {
      const client = { public: await viem.getPublicClient(), ...config.client }
      return Reflect.apply(helper, viem, [contract, second, { ...config, client }])
    }
    Reflect.set(viem, name, wrapped)
  }
}

/** The part of `connection.ignition` that is changed. */
interface IgnitionHelper {
  deploy(
    module: unknown,
    options?: { readonly deploymentId?: string | undefined },
  ): Promise<unknown>
}

function isIgnitionHelper(value: unknown): value is IgnitionHelper {
  return isObject(value) && 'deploy' in value
}

/**
 * Makes hardhat-ignition deploy again on each chain, as on Hardhat's own network: on an `http`
 * network it records deployments by chain id, and would take the next chain with that id for the
 * same one. A deployment with a `deploymentId` keeps its record.
 *
 * @param ignition - changed in place
 * @param folder - path of the project's Ignition files
 */
function deployAfresh(ignition: IgnitionHelper, folder: string): void {
  const deploy = ignition.deploy.bind(ignition)
  ignition.deploy = async (module, options = {}) => {
    if (options.deploymentId !== undefined) return await deploy(module, options)
    const deploymentId = `pending-${randomUUID()}`
    const deployments = join(folder, 'deployments')
    try {
      return await deploy(module, { ...options, deploymentId })
    } finally {
      await rm(join(deployments, deploymentId), { recursive: true, force: true })
      // Ignition has created this folder; keep it if it holds other deployments.
      await rmdir(deployments).catch(ignoreMissingOrFull)
    }
  }
}

function ignoreMissingOrFull(error: NodeJS.ErrnoException): void {
  if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(error.code ?? '')) throw error
}
