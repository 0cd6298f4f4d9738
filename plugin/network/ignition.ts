import { randomUUID } from 'node:crypto'
import { rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'

/** What hardhat-ignition adds to a connection, as far as it is changed here. */
interface IgnitionHelper {
  deploy(module: unknown, options?: DeployOptions): Promise<unknown>
}

interface DeployOptions {
  readonly deploymentId?: string | undefined
}

/**
 * Lets hardhat-ignition deploy anew on each chain, as on Hardhat's own: on an `http` network it writes down by chain id
 * what is deployed, and the next chain with that id would be taken for the same one. Whoever gives a `deploymentId`
 * keeps the record of it. Without hardhat-ignition, nothing.
 *
 * @param connection - its `ignition` is changed in place
 * @param config - of the project
 */
export function deployAnew(connection: object, config: { readonly paths: object }): void {
  const ignition: unknown = Reflect.get(connection, 'ignition')
  if (!isIgnitionHelper(ignition)) return
  const folder: unknown = Reflect.get(config.paths, 'ignition')
  if (typeof folder !== 'string') return
  const deploy = ignition.deploy.bind(ignition)
  ignition.deploy = async (module, options = {}) => {
    if (options.deploymentId !== undefined) return await deploy(module, options)
    const deploymentId = `pending-${randomUUID()}`
    const deployments = join(folder, 'deployments')
    try {
      return await deploy(module, { ...options, deploymentId })
    } finally {
      await rm(join(deployments, deploymentId), { recursive: true, force: true })
      // Ignition made it; it stays where it holds other deployments.
      await rmdir(deployments).catch(ignoreNotEmpty)
    }
  }
}

function ignoreNotEmpty(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error
}

function isIgnitionHelper(value: unknown): value is IgnitionHelper {
  return typeof value === 'object' && value !== null && 'deploy' in value
}
