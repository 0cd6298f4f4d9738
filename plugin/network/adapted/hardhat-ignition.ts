import { AsyncLocalStorage } from 'node:async_hooks'
import { isObject } from '../../../devnet/pluginApi.ts'
import { withPreconfirmedAsLatest } from '../preconfirmed-as-latest.ts'
import { wrapMethod } from '../wrap-method.ts'
import { type Adapted, expectPart } from './adapted-plugin.ts'
import { refuseFrozen } from './frozen-deployments.ts'

const TRIED = { name: 'hardhat-ignition', oldest: '3.1.6', newest: '3.1.8' }

/** Ignition's own defaults, five blocks and a look each second, are for live networks. */
const DEFAULTS = { requiredConfirmations: 1, blockPollingInterval: 20 }

/**
 * Makes hardhat-ignition keep a deployment in memory, as on Hardhat's own network, and makes a
 * pre-confirmed transaction a confirmed one to it.
 *
 * @param added - `connection.ignition`
 */
export function adaptIgnition(added: unknown, on: Adapted): void {
  const part = { value: added, name: 'connection.ignition', methods: ['deploy'] }
  const ignition = expectPart(TRIED, part, on)
  deployInMemory(ignition, on)
  if (on.hasTwoClocks) {
    const given: unknown = Reflect.get(on.config, 'ignition')
    wrapMethod(ignition, 'deploy', async (deploy, [module, options = {}]) => {
      const own = isObject(options) ? options : {}
      const config = {
        ...DEFAULTS,
        ...(isObject(given) && given),
        ...(isObject(own.config) && own.config),
      }
      return await withPreconfirmedAsLatest(
        on.connection,
        async () => await deploy(module, { ...own, config }),
      )
    })
  }
  refuseFrozen(ignition, 'deploy', on.devnet)
}

/** The connection whose deployment stays in memory, inside of it. */
const deployments = new AsyncLocalStorage<Adapted['connection'] | undefined>()

/**
 * On an `http` network, Ignition writes each step to the disk and waits for it, and would take the
 * next chain with the same chain id for this one. A deployment with a `deploymentId` keeps its
 * record on the disk.
 *
 * Ignition chooses by the type of the connection's network: while it deploys, it is shown the type
 * of Hardhat's own. Its requests, and everybody else, see the connection as it is.
 */
function deployInMemory(ignition: object, { connection }: Adapted): void {
  const { networkConfig } = connection
  const shown = { ...networkConfig, type: 'edr-simulated' }
  Object.defineProperty(connection, 'networkConfig', {
    get: () => (deployments.getStore() === connection ? shown : networkConfig),
    enumerable: true,
    configurable: true,
  })
  wrapMethod(connection.provider, 'request', (request, args) =>
    deployments.run(undefined, request, ...args),
  )
  wrapMethod(ignition, 'deploy', async (deploy, [module, options]) => {
    const isKept = isObject(options) && options.deploymentId !== undefined
    return await deployments.run(isKept ? undefined : connection, deploy, module, options)
  })
}
