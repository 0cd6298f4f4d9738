import { AsyncLocalStorage } from 'node:async_hooks'
import type { HardhatConfig } from 'hardhat/types/config'
import type { NetworkConnection } from 'hardhat/types/network'
import type { DevAccount } from '../../devnet/index.ts'
import { isObject } from '../../devnet/pluginApi.ts'
import { withPreconfirmedAsLatest } from './preconfirmed-as-latest.ts'

type Connection = Pick<NetworkConnection, 'networkConfig' | 'provider'>

/**
 * Adapts what hardhat-viem, hardhat-ethers, hardhat-network-helpers and hardhat-ignition add to a
 * connection to a node of this plugin. Does nothing for a plugin that is not there.
 *
 * @param connection - as the handlers of all plugins have made it; what they added is changed in
 * place, so that plugins that already hold it use the adapted form too
 * @param accounts - of the node
 */
export function fitOtherPlugins(
  connection: Connection,
  config: HardhatConfig,
  { accounts }: { readonly accounts: readonly DevAccount[] },
): void {
  const { networkConfig } = connection
  const node = networkConfig.type === 'http' ? networkConfig.pendingNode : undefined
  const viem: unknown = Reflect.get(connection, 'viem')
  const ethers: unknown = Reflect.get(connection, 'ethers')
  const helpers: unknown = Reflect.get(connection, 'networkHelpers')
  const ignition: unknown = Reflect.get(connection, 'ignition')
  if (isEthersHelpers(ethers)) signAuthorizations(ethers, accounts)
  if (isIgnitionHelper(ignition)) deployInMemory(connection, ignition)

  // In instant mode `latest` has every transaction, as on `hardhat node`.
  if (node?.instant === true) return
  if (node?.defaultBlock !== 'latest') {
    if (isViemHelpers(viem)) readPendingWithViem(viem)
    if (isEthersHelpers(ethers)) readPendingWithEthers(connection, ethers)
    if (isObject(helpers)) readPendingStorage(helpers)
  }
  if (isObject(helpers) && isObject(helpers.time)) tellPendingTime(connection, helpers.time)
  if (isIgnitionHelper(ignition)) {
    deployBeforeSeal(connection, ignition, Reflect.get(config, 'ignition'))
  }
}

type Method = (...args: unknown[]) => unknown

/**
 * Replaces a method of an object, if it has it.
 *
 * @param around - gets the method, bound to the object, and the arguments of a call
 */
export function wrapMethod(
  target: object,
  name: string,
  around: (method: Method, args: unknown[]) => unknown,
): void {
  const method: unknown = Reflect.get(target, name)
  if (typeof method !== 'function') return
  const bound: Method = (...args) => Reflect.apply(method, target, args)
  // A method that the object inherits stays out of sight, for deep comparisons and spreads.
  const { enumerable = false } = Object.getOwnPropertyDescriptor(target, name) ?? {}
  const value = (...args: unknown[]) => around(bound, args)
  Object.defineProperty(target, name, { value, enumerable, writable: true, configurable: true })
}

/** The part of `connection.viem` that is changed. */
interface ViemHelpers {
  getPublicClient(config?: object): Promise<object>
}

function isViemHelpers(value: unknown): value is ViemHelpers {
  return isObject(value) && 'getPublicClient' in value
}

/** Helpers that make clients, and how many arguments stand before their configuration. */
const CLIENT_HELPERS = {
  getPublicClient: 0,
  getTestClient: 0,
  getWalletClients: 0,
  getWalletClient: 1,
}

/** Helpers whose third argument may name the clients that a contract reads and writes with. */
const CONTRACT_HELPERS = ['getContractAt', 'deployContract', 'sendDeploymentTransaction']

/**
 * Makes the clients and contracts of hardhat-viem read `pending` by default, as viem does on chains
 * with `experimental_preconfirmationTime`. A client made with `experimental_blockTag: 'latest'`
 * keeps reading `latest`.
 */
function readPendingWithViem(viem: ViemHelpers): void {
  for (const [name, place] of Object.entries(CLIENT_HELPERS)) {
    wrapMethod(viem, name, async (make, args) => {
      const given = args[place]
      const config = { experimental_blockTag: 'pending', ...(isObject(given) && given) }
      const made = await make(...args.slice(0, place), config)
      for (const client of Array.isArray(made) ? made : [made]) readAtOwnTag(client)
      return made
    })
  }
  for (const name of CONTRACT_HELPERS) {
    wrapMethod(viem, name, async (helper, [contract, second, given]) => {
      const config = isObject(given) ? given : {}
      const clients = isObject(config.client) ? config.client : {}
      const client = { public: await viem.getPublicClient(), ...clients }
      return await helper(contract, second, { ...config, client })
    })
  }
}

/** What a client of viem reads at `latest`, whatever its `experimental_blockTag`. */
const LATEST_READS = [
  'createAccessList',
  'getBlockTransactionCount',
  'getCode',
  'getDelegation',
  'getProof',
  'getStorageAt',
  'getStorageValues',
  'getTransactionCount',
]

/** The fields of a request to viem that name a block. */
const BLOCK_FIELDS = ['blockTag', 'blockNumber', 'blockHash']

/** Makes {@link LATEST_READS} of a client, and of its extensions, follow its block tag too. */
function readAtOwnTag(client: unknown): void {
  if (!isObject(client)) return
  for (const name of LATEST_READS) {
    wrapMethod(client, name, (read, [asked]) => {
      const request = isObject(asked) ? asked : {}
      const isNamed = BLOCK_FIELDS.some((field) => request[field] !== undefined)
      return read(isNamed ? request : { ...request, blockTag: client.experimental_blockTag })
    })
  }
  wrapMethod(client, 'extend', (extend, args) => {
    const extended = extend(...args)
    readAtOwnTag(extended)
    return extended
  })
}

/** The part of `connection.ethers` that is changed. */
interface EthersHelpers {
  readonly provider: object
  readonly BaseContract: { readonly prototype: object }
  readonly Wallet: new (key: string, provider: unknown) => { authorize: Method }
}

export function isEthersHelpers(value: unknown): value is EthersHelpers {
  return isObject(value) && isObject(value.provider) && 'BaseContract' in value && 'Wallet' in value
}

/** Methods of the provider that take a block, and how many arguments stand before it. */
const BLOCK_METHODS = { getBalance: 1, getCode: 1, getStorage: 2, getTransactionCount: 1 }

/**
 * Makes the provider of hardhat-ethers read `pending` if a call names no block, and with it all
 * signers and contracts. A wait for a transaction ends when it is pre-confirmed, as that of
 * `response.wait()` does.
 */
function readPendingWithEthers(
  connection: Connection,
  { provider, BaseContract }: EthersHelpers,
): void {
  for (const [name, place] of Object.entries(BLOCK_METHODS)) {
    wrapMethod(provider, name, (read, args) =>
      read(...args.slice(0, place), args[place] ?? 'pending'),
    )
  }
  wrapMethod(provider, 'call', (call, [request]) =>
    call(isObject(request) ? { ...request, blockTag: request.blockTag ?? 'pending' } : request),
  )
  wrapMethod(provider, 'getLogs', (getLogs, [filter]) => {
    const hasEnd = !isObject(filter) || (filter.blockHash ?? filter.toBlock ?? null) !== null
    return getLogs(hasEnd ? filter : { ...filter, toBlock: 'pending' })
  })
  wrapMethod(provider, 'waitForTransaction', (wait, args) =>
    withPreconfirmedAsLatest(connection, async () => await wait(...args)),
  )
  pendingProviders.add(provider)
  filterUntilPending(BaseContract.prototype)
}

/** The ethers providers that read `pending` by default. */
const pendingProviders = new WeakSet<object>()
const changedPrototypes = new WeakSet<object>()

/**
 * Makes `contract.queryFilter` without a last block end at `pending`, for contracts of
 * {@link pendingProviders}. ethers fills in `latest` before it asks the provider, which then cannot
 * tell it from a `latest` of the caller.
 *
 * @param prototype - of all contracts of ethers, as anyone may construct one
 */
function filterUntilPending(prototype: object): void {
  if (changedPrototypes.has(prototype)) return
  changedPrototypes.add(prototype)
  const queryFilter: unknown = Reflect.get(prototype, 'queryFilter')
  if (typeof queryFilter !== 'function') return
  Reflect.set(
    prototype,
    'queryFilter',
    function (this: { readonly runner: unknown }, event: unknown, from: unknown, to?: unknown) {
      const provider = isObject(this.runner) ? this.runner.provider : undefined
      const isPending = isObject(provider) && pendingProviders.has(provider)
      return Reflect.apply(queryFilter, this, [event, from, to ?? (isPending ? 'pending' : to)])
    },
  )
}

/**
 * Lets signers of hardhat-ethers sign EIP-7702 authorizations with the keys of the node: they look
 * for keys in the configuration of the network, which has none.
 */
function signAuthorizations(ethers: EthersHelpers, accounts: readonly DevAccount[]): void {
  const withKey = (signer: unknown): unknown => {
    if (!isObject(signer)) return signer
    const address = String(signer.address).toLowerCase()
    const key = accounts.find((account) => account.address === address)?.privateKey
    if (key === undefined) return signer
    wrapMethod(signer, 'authorize', (_refuse, [request]) =>
      new ethers.Wallet(key, signer.provider).authorize(request),
    )
    wrapMethod(signer, 'connect', (connect, args) => withKey(connect(...args)))
    return signer
  }
  const one = async (method: Method, args: unknown[]) => withKey(await method(...args))
  wrapMethod(ethers.provider, 'getSigner', one)
  wrapMethod(ethers, 'getSigner', one)
  wrapMethod(ethers, 'getImpersonatedSigner', one)
  wrapMethod(ethers, 'getSigners', async (method, args) => {
    const signers = await method(...args)
    return Array.isArray(signers) ? signers.map(withKey) : signers
  })
}

/** Makes `networkHelpers.getStorageAt` read `pending` if it is given no block. */
function readPendingStorage(helpers: object): void {
  wrapMethod(helpers, 'getStorageAt', (read, [address, slot, block]) =>
    read(address, slot, block ?? 'pending'),
  )
}

/**
 * Makes `time.latest()` answer the time of the pending block while that holds transactions, and
 * `time.increase()` count from there: a test that has just sent a transaction means its block.
 */
function tellPendingTime(connection: Connection, time: object): void {
  for (const name of ['latest', 'increase']) {
    wrapMethod(time, name, (method, args) =>
      withPreconfirmedAsLatest(connection, async () => await method(...args)),
    )
  }
}

/** The part of `connection.ignition` that is changed. */
interface IgnitionHelper {
  deploy(module: unknown, options?: IgnitionOptions): Promise<unknown>
}

interface IgnitionOptions {
  readonly deploymentId?: string | undefined
  readonly config?: object | undefined
}

function isIgnitionHelper(value: unknown): value is IgnitionHelper {
  return isObject(value) && 'deploy' in value
}

/** Ignition's own defaults, five blocks and a look each second, are for live networks. */
const IGNITION_DEFAULTS = { requiredConfirmations: 1, blockPollingInterval: 20 }

/**
 * Makes a pre-confirmed transaction a confirmed one to hardhat-ignition.
 *
 * @param given - configuration of Ignition in the project
 */
function deployBeforeSeal(connection: Connection, ignition: IgnitionHelper, given: unknown): void {
  const deploy = ignition.deploy.bind(ignition)
  ignition.deploy = async (module, options = {}) => {
    const config = { ...IGNITION_DEFAULTS, ...(isObject(given) && given), ...options.config }
    return await withPreconfirmedAsLatest(connection, () => deploy(module, { ...options, config }))
  }
}

/** The connection whose deployment stays in memory, inside of it. */
const deployments = new AsyncLocalStorage<Connection | undefined>()

/**
 * Makes hardhat-ignition keep a deployment in memory, as on Hardhat's own network. On an `http`
 * network it writes each step to the disk and waits for it, and would take the next chain with the
 * same chain id for this one. A deployment with a `deploymentId` keeps its record on the disk.
 *
 * Ignition chooses by the type of the connection's network: while it deploys, it is shown the type
 * of Hardhat's own. Its requests, and everybody else, see the connection as it is.
 */
function deployInMemory(connection: Connection, ignition: IgnitionHelper): void {
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
  const deploy = ignition.deploy.bind(ignition)
  ignition.deploy = async (module, options = {}) =>
    await deployments.run(
      options.deploymentId === undefined ? connection : undefined,
      async () => await deploy(module, options),
    )
}
