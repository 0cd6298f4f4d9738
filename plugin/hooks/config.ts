import { isDeepStrictEqual } from 'node:util'
import type {
  ConfigurationVariableResolver,
  HttpNetworkUserConfig,
  NetworkConfig,
  NetworkUserConfig,
  ResolvedConfigurationVariable,
} from 'hardhat/types/config'
import type { ConfigHooks, HardhatUserConfigValidationError } from 'hardhat/types/hooks'
import {
  type PendingNodeNetwork,
  PLACEHOLDER_URL,
  pendingNode,
  REPLAY_NETWORK,
  replayNetworkName,
} from '../network-config.ts'
import type {
  PendingNodeForkingConfig,
  PendingNodeForkingUserConfig,
  PendingNodeUserConfig,
} from '../types.ts'

/** The networks that the plugin adds, with their options. */
const BUILT_IN_NETWORKS: Readonly<Record<string, PendingNodeUserConfig>> = {
  pending: {},
  instant: { instant: true },
}

/**
 * Hardhat runs these at each start and for each connection with overrides: keep them idempotent.
 */
export default async (): Promise<Partial<ConfigHooks>> => ({
  /** Adds the built-in networks, or completes one if the user gives only some of its fields. */
  async extendUserConfig(config, next) {
    const extended = await next(config)
    const networks: Record<string, NetworkUserConfig> = { ...extended.networks }
    for (const [name, options] of Object.entries(BUILT_IN_NETWORKS)) {
      if (networks[name]?.type !== undefined) continue
      // Without a type, it is a connection's override, or an incomplete entry in JavaScript.
      const given = networks[name] as Partial<HttpNetworkUserConfig> | undefined
      networks[name] = { ...pendingNode(options), ...given }
      // Anything but a plain object is left to the validation.
      if (given?.pendingNode?.constructor === Object) {
        networks[name].pendingNode = { ...options, ...given.pendingNode }
      }
    }
    for (const [name, network] of Object.entries(networks)) {
      // That of `pending` also serves the node that the task runs.
      if (network?.type === 'http' || name === 'pending') {
        networks[replayNetworkName(name)] ??= REPLAY_NETWORK
      }
      if (network?.type !== 'http') continue
      if (network.pendingNode === undefined) continue
      networks[name] = { ...network, url: network.url ?? PLACEHOLDER_URL }
    }
    return { ...extended, networks }
  },

  async validateUserConfig({ networks = {} }) {
    const errors: HardhatUserConfigValidationError[] = []
    for (const [name, network] of Object.entries(networks)) {
      // A JavaScript configuration may have anything here.
      const fields: { readonly [field: string]: unknown } = { ...network }
      const { type, url: _url, pendingNode, ...others } = fields
      const { stackTraces } = others
      if (stackTraces !== undefined && (typeof stackTraces !== 'boolean' || type !== 'http')) {
        const message =
          typeof stackTraces === 'boolean'
            ? 'It is for networks of type "http": Hardhat\'s own always have stack traces.'
            : `Expected true or false, not ${JSON.stringify(stackTraces)}`
        errors.push({ path: ['networks', name, 'stackTraces'], message })
      }
      // Do not load the validation for options that cannot be wrong.
      const isBuiltIn = Object.values(BUILT_IN_NETWORKS).some(
        (options) =>
          type === 'http' &&
          Object.keys(others).length === 0 &&
          isDeepStrictEqual(pendingNode, options),
      )
      if (pendingNode === undefined || isBuiltIn) continue
      const { networkErrors } = await import('../network/validate.ts')
      errors.push(...(await networkErrors(name, network)))
    }
    return errors
  },

  async resolveUserConfig(userConfig, resolveVariable, next) {
    const config = await next(userConfig, resolveVariable)
    const networks: Record<string, NetworkConfig> = { ...config.networks }
    for (const [name, given] of Object.entries(userConfig.networks ?? {})) {
      const plain = networks[name]
      if (given.type !== 'http' || plain?.type !== 'http') continue
      const { stackTraces } = given
      const network = stackTraces === undefined ? plain : { ...plain, stackTraces }
      networks[name] = network
      if (given.pendingNode === undefined) continue
      const { forking, ...options } = given.pendingNode
      const pendingNode = {
        ...options,
        ...(forking === undefined ? {} : { forking: resolvedForking(forking, resolveVariable) }),
        transport: given.pendingNode.transport ?? 'in-process',
        defaultBlock: given.pendingNode.defaultBlock ?? 'pending',
      } as const
      const resolved = { ...network, pendingNode }
      networks[name] = { ...resolved, url: ownUrl(name, resolved) }
    }
    return { ...config, networks }
  },
})

function resolvedForking(
  { enabled = true, url, ...forking }: PendingNodeForkingUserConfig,
  resolveVariable: ConfigurationVariableResolver,
): PendingNodeForkingConfig {
  return { ...forking, enabled, url: resolveVariable(url) }
}

/** The network's `url`: resolves to the address of the node of the connection being made. */
function ownUrl(networkName: string, network: PendingNodeNetwork): ResolvedConfigurationVariable {
  const get = async () => {
    // Imported only now: each start of Hardhat loads this file, but few make a connection.
    const { ownAddress } = await import('../network/node-per-connection.ts')
    return await ownAddress(networkName, network)
  }
  const refuseNumber = async () => {
    const { pluginError } = await import('../network/plugin-error.ts')
    throw pluginError(`The url of network "${networkName}" is an address, not a number or bytes.`)
  }
  return {
    _type: 'ResolvedConfigurationVariable',
    format: '{variable}',
    get,
    getUrl: get,
    getBigInt: refuseNumber,
    getHexString: refuseNumber,
  }
}
