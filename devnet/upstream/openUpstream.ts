import { OptionError } from '../primitives/errors.ts'
import { type Hex, quantity } from '../primitives/hex.ts'
import { isObject } from '../primitives/json.ts'
import { type ForkRules, forkRules } from '../protocol/forks.ts'
import { queueSlots } from '../protocol/requests.ts'
import { systemContracts } from '../protocol/systemContracts.ts'
import { addressKey, addressKeyFromHex } from '../state/keys.ts'
import { type RemoteKeys, UpstreamError } from '../state/remote/remoteSource.ts'
import { AnswerCache } from './answerCache.ts'
import { isStateGone, isUnknownMethod, type RpcFailure } from './answers.ts'
import {
  BatchClient,
  FailureAnswer,
  type FailureChoice,
  NoAnswer,
  passedOn,
  type Sent,
} from './batchClient.ts'
import { BlockCache } from './blockCache.ts'
import { CacheFolder, NOTHING_KNOWN } from './cacheFolder.ts'
import type { Capabilities } from './capabilities.ts'
import { Endpoint } from './endpoint.ts'
import { baseFeeOf, hardforkOf } from './hardforkOf.ts'
import { openHttpTransport } from './httpTransport.ts'
import { askPending } from './pendingBlock.ts'
import { readAccountInfo, readQuantity } from './stateAnswers.ts'
import { STATE_ATTEMPTS, StateGoneError, StateSource } from './stateSource.ts'
import type { Upstream, UpstreamBlock, UpstreamOptions, UpstreamPending } from './types.ts'
import { isHash, readBlock } from './upstreamBlock.ts'
import { type UpstreamTime, WALL_TIME } from './upstreamTime.ts'

const DEFAULT_TIMEOUT = 45_000
const DEFAULT_BATCH = 100
const DEFAULT_CONCURRENCY = 8

const ZERO_ADDRESS = `0x${'00'.repeat(20)}`

/** zkSync Era and its testnet, whose contracts are not EVM code. */
const REFUSED_CHAINS = [324n, 300n]

/** Methods whose answer may take as long as the upstream lets them. */
const SLOW_METHODS =
  /^(?:debug_|trace_|eth_(?:call|estimateGas|getLogs|simulateV1|createAccessList))/

/** What the first requests say. */
interface Start {
  readonly chainId: bigint
  readonly block: UpstreamBlock
  readonly pending?: UpstreamPending | undefined
  /** The answer to `eth_config`; `undefined` if there is none. */
  readonly config: unknown
  /** Whether it knows `eth_getAccountInfo`; `undefined` if it was not asked. */
  readonly accountInfo?: boolean | undefined
}

/**
 * Connects to an upstream and reads what a chain on top of its block begins with: two batches of
 * requests, or one if the disk cache knows the block. Nothing is read by a tag but the block.
 *
 * @throws {OptionError} if the URL, a header or the block is not valid
 * @throws {UpstreamError} if there is no answer, no such block, or no state; names only the origin
 */
export async function openUpstream(
  options: UpstreamOptions,
  time: UpstreamTime = WALL_TIME,
): Promise<Upstream> {
  const endpoint = new Endpoint(options.url, options.headers)
  const folder = await cacheFolder(options.cache)
  if (options.offline === true) return openOffline(options, endpoint, folder, time)
  const found = (await folder?.readCapabilities(endpoint.origin)) ?? NOTHING_KNOWN
  const timeout = options.timeout ?? DEFAULT_TIMEOUT
  const connections = options.concurrency ?? DEFAULT_CONCURRENCY
  const client = new BatchClient(
    endpoint,
    await openHttpTransport(endpoint, { timeout, connections }),
    { time, timeout, batch: options.batch ?? DEFAULT_BATCH, concurrency: connections },
  )
  const giveUp = () => void client.close()
  options.signal?.addEventListener('abort', giveUp)
  try {
    const last = found.last === undefined ? undefined : found.chains.get(found.last)
    const start = await firstAnswers(options, endpoint.origin, client, last?.accountInfo)
    const known = found.chains.get(start.chainId) ?? {}
    const { accountInfo = known.accountInfo } = start
    const capabilities = { ...known, ...(accountInfo === undefined ? {} : { accountInfo }) }
    if (capabilities.batch !== undefined) client.limitBatch(capabilities.batch)
    const isLast = start.chainId === found.last
    return await open(start, {
      options,
      endpoint,
      folder,
      time,
      client,
      capabilities,
      known: isLast ? JSON.stringify(known) : '',
    })
  } catch (error) {
    await client.close()
    throw error
  } finally {
    options.signal?.removeEventListener('abort', giveUp)
  }
}

async function cacheFolder(choice: string | false | undefined): Promise<CacheFolder | undefined> {
  if (choice === false) return undefined
  return choice === undefined ? CacheFolder.ofUser() : new CacheFolder(choice)
}

async function openOffline(
  options: UpstreamOptions,
  endpoint: Endpoint,
  folder: CacheFolder | undefined,
  time: UpstreamTime,
): Promise<Upstream> {
  if (folder === undefined) throw new OptionError('Offline mode needs the cache of the upstream.')
  const wanted = options.block
  if (!(isHash(wanted) || (typeof wanted === 'bigint' && wanted >= 0n))) {
    throw new OptionError('Offline mode needs a fork block by number or hash.')
  }
  const { chains } = await folder.readCapabilities(endpoint.origin)
  const found = (await folder.blocks()).filter(({ number, hash, chainId }) =>
    isHash(wanted)
      ? hash === wanted.toLowerCase()
      : number === wanted && (chains.size === 0 || chains.has(chainId)),
  )
  const [only] = found
  if (only === undefined || found.length > 1) {
    throw new UpstreamError(
      only === undefined
        ? `The cache in ${folder.path} does not hold block ${wanted}: run once without offline mode.`
        : `The cache in ${folder.path} holds ${found.length} blocks with the number ${wanted}: name the block by its hash.`,
      { transient: false },
    )
  }
  const cache = await BlockCache.open(folder, only, { time, onWarning: warner(options) })
  const block = cache.block === undefined ? undefined : readBlock(cache.block)
  if (block === undefined) {
    await cache.close()
    throw new UpstreamError(
      `The cache in ${folder.path} does not hold the header of block ${wanted}: run once without offline mode.`,
      { transient: false },
    )
  }
  const start: Start = { chainId: only.chainId, block, config: undefined }
  const capabilities = chains.get(only.chainId) ?? {}
  return open(start, {
    options,
    endpoint,
    folder,
    time,
    cache,
    client: undefined,
    capabilities,
    known: JSON.stringify(capabilities),
  })
}

/** The first batch; a negative number and `pending` need one before it. */
async function firstAnswers(
  options: UpstreamOptions,
  origin: string,
  client: BatchClient,
  accountInfo: boolean | undefined,
): Promise<Start> {
  const standing =
    options.block === 'pending'
      ? await askPending(client, origin, warner(options)).catch((error: unknown) => {
          throw startError(error, 'its newest blocks', origin)
        })
      : undefined
  const wanted = standing?.parent ?? (await absolute(options.block, origin, client))
  const reference = typeof wanted === 'bigint' ? quantity(wanted) : wanted
  const asksByHash = isHash(wanted)
  const [chainId, block, probe, config] = await Promise.allSettled([
    client.ask({ method: 'eth_chainId', params: [], read: readQuantity, onFailure: () => 'tell' }),
    client.ask({
      method: asksByHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber',
      params: [reference, false],
      read: readBlock,
      onFailure: patience,
    }),
    probeState(client, asksByHash ? { blockHash: wanted } : reference, accountInfo),
    client.ask({
      method: 'eth_config',
      params: [],
      read: (config) => config,
      onFailure: () => 'tell',
    }),
  ])
  if (chainId.status === 'rejected') throw startError(chainId.reason, 'eth_chainId', origin)
  if (REFUSED_CHAINS.includes(chainId.value)) {
    throw new UpstreamError(
      `${origin} is zkSync Era (chain ${chainId.value}), whose contracts are not EVM code: no chain can stand on it.`,
      { transient: false },
    )
  }
  if (block.status === 'rejected') throw startError(block.reason, `block ${wanted}`, origin)
  if (block.value === undefined) {
    throw new UpstreamError(`${origin} does not have block ${wanted}.`, { transient: false })
  }
  if (probe.status === 'rejected') {
    if (isGone(probe.reason)) throw await goneError(block.value, origin, client)
    if (!(probe.reason instanceof FailureAnswer)) throw startError(probe.reason, 'state', origin)
  }
  return {
    chainId: chainId.value,
    block: block.value,
    pending: standing?.pending,
    config: config.status === 'fulfilled' ? config.value : undefined,
    accountInfo: probe.status === 'fulfilled' ? probe.value : undefined,
  }
}

/** The number that a negative one means; anything else is itself. */
async function absolute(
  choice: UpstreamOptions['block'],
  origin: string,
  client: BatchClient,
): Promise<UpstreamOptions['block']> {
  if (typeof choice !== 'bigint') return isHash(choice) ? lowerCase(choice) : choice
  if (choice >= 0n) return choice
  const latest = await latestNumber(client).catch((error: unknown) => {
    throw startError(error, 'eth_blockNumber', origin)
  })
  if (latest + choice < 0n) {
    throw new UpstreamError(`${origin} has only ${latest} blocks, not ${-choice}.`, {
      transient: false,
    })
  }
  return latest + choice
}

function lowerCase(hash: Hex): Hex {
  return `0x${hash.slice(2).toLowerCase()}`
}

function latestNumber(client: BatchClient): Promise<bigint> {
  return client.ask({
    method: 'eth_blockNumber',
    params: [],
    read: readQuantity,
    onFailure: () => 'tell',
  })
}

/**
 * Asks for any state at the block.
 *
 * @param accountInfo - whether accounts can be had in one answer, as far as it is known
 * @returns the same, as far as it is known now
 */
async function probeState(
  client: BatchClient,
  reference: unknown,
  accountInfo: boolean | undefined,
): Promise<boolean | undefined> {
  const params = [ZERO_ADDRESS, reference]
  const onFailure = patience
  if (accountInfo === false) {
    await client.ask({ method: 'eth_getBalance', params, read: readQuantity, onFailure })
    return undefined
  }
  try {
    await client.ask({ method: 'eth_getAccountInfo', params, read: readAccountInfo, onFailure })
    return true
  } catch (error) {
    if (error instanceof FailureAnswer && isUnknownMethod(error.failure)) return false
    throw error
  }
}

/** Behind a load balancer, another server may have the block. */
function patience(failure: RpcFailure): FailureChoice {
  return isStateGone(failure) ? { attempts: STATE_ATTEMPTS } : 'tell'
}

function isGone(error: unknown): boolean {
  return error instanceof FailureAnswer && isStateGone(error.failure)
}

async function goneError(
  { number }: UpstreamBlock,
  origin: string,
  client: BatchClient,
): Promise<UpstreamError> {
  const latest = await latestNumber(client).catch(() => undefined)
  const age = latest === undefined ? '' : ` (${latest - number} blocks old)`
  return new UpstreamError(
    `${origin} has block ${number}, but not its state any more${age}: take a newer block, or an archive node.`,
    { transient: false },
  )
}

/** The error of a start that did not get what a chain begins with. */
async function openingError(
  error: UpstreamError,
  block: UpstreamBlock,
  origin: string,
  client: BatchClient | undefined,
): Promise<UpstreamError> {
  // Offline, the error is that of the cache.
  if (client === undefined) return error
  // The first batch does not tell if it has asked for what the upstream does not know.
  if (error instanceof StateGoneError) return await goneError(block, origin, client)
  return new UpstreamError(`${origin}: ${error.message}.`, { transient: error.transient })
}

/** What a start that failed tells. */
function startError(error: unknown, what: string, origin: string): unknown {
  if (error instanceof NoAnswer || error instanceof FailureAnswer) {
    return new UpstreamError(`${origin} did not give ${what}: ${error.message}.`, {
      transient: error instanceof NoAnswer && error.transient,
    })
  }
  return error
}

/** Makes the upstream of the first answers, and reads what a chain begins with. */
async function open(
  { chainId, block, pending, config }: Start,
  parts: {
    readonly options: UpstreamOptions
    readonly endpoint: Endpoint
    readonly folder: CacheFolder | undefined
    readonly time: UpstreamTime
    /** `undefined` offline. */
    readonly client: BatchClient | undefined
    /** Default: what the folder has of the block. */
    readonly cache?: BlockCache
    readonly capabilities: Capabilities
    /** The capabilities as they are written, in JSON. */
    readonly known: string
  },
): Promise<Upstream> {
  const { options, endpoint, folder, time, client, capabilities } = parts
  const { origin } = endpoint
  const { number, hash } = block
  const hasSecret = secretsOf(endpoint)
  const cache =
    parts.cache ??
    (folder === undefined
      ? BlockCache.inMemory(time)
      : await BlockCache.open(
          folder,
          { chainId, number, hash },
          { time, onWarning: warner(options) },
        ))
  // Upstreams repeat keys wherever they like.
  if (!hasSecret(JSON.stringify(block.json))) cache.keepBlock(block.json)
  const prefetch = prefetchOf(options)
  const { onWarning } = options
  const source = new StateSource({
    ...{ chainId, block, client, cache, capabilities, prefetch, onWarning },
  })
  const [hardfork, hardforkFrom] = await hardforkOf({
    chainId,
    block,
    config: config ?? cache.config,
    option: options.hardfork,
  })
  if (config !== undefined && !hasSecret(JSON.stringify(config))) cache.keepConfig(config)
  const keys = initialKeys(block, forkRules(hardfork))
  const values = await source.load(keys)
  for (const value of [...values.accounts, ...values.slots]) {
    if (!(value instanceof UpstreamError)) continue
    await cache.close()
    throw await openingError(value, block, origin, client)
  }

  async function keepCapabilities(): Promise<void> {
    if (client === undefined || folder === undefined) return
    if (client.batch < (options.batch ?? DEFAULT_BATCH)) capabilities.batch = client.batch
    if (JSON.stringify(capabilities) === parts.known) return
    try {
      await folder.writeCapabilities(origin, chainId, capabilities)
    } catch (error) {
      warner(options)(`what was learned of the upstream cannot be written: ${String(error)}`)
    }
  }
  await keepCapabilities()
  const answers = await AnswerCache.open({
    folder,
    block: { chainId, number, hash },
    time,
    askFinal: async (method) => client && (await finalNumber(client, SLOW_METHODS.test(method))),
    onWarning: warner(options),
    hasSecret,
  })
  void folder?.sweep().catch((error: unknown) => {
    warner(options)(`old files of the upstream's cache cannot be removed: ${String(error)}`)
  })

  let closing: Promise<void> | undefined
  async function close(reason: UpstreamError | undefined): Promise<void> {
    await client?.close(reason)
    await Promise.all([cache.close(), answers.close()])
    await keepCapabilities()
  }

  return {
    origin,
    chainId,
    block,
    pending,
    hardfork,
    hardforkFrom,
    baseFee: baseFeeOf(chainId, block),
    initial: { keys, values },
    source,
    request: (method, params, signal) => pass({ client, answers }, method, params, signal),
    status() {
      return { ...(client?.sent ?? NOTHING_SENT), cached: source.cached }
    },
    close(reason) {
      closing ??= close(reason)
      return closing
    },
  }
}

const NOTHING_SENT: Sent = { requests: 0, items: 0, waiting: 0, failed: 0, lastFailure: null }

/** Number of the newest block that no reorganization takes back; `undefined` if nobody says. */
async function finalNumber(client: BatchClient, isSlow: boolean): Promise<bigint | undefined> {
  try {
    return await client.ask({
      method: 'eth_getBlockByNumber',
      params: ['finalized', false],
      read: (result) => readQuantity(isObject(result) ? result.number : result),
      onFailure: () => 'tell',
      isSlow,
      attempts: 1,
    })
  } catch (error) {
    // Then no answer is kept, which is no fault. An UpstreamError says that the node stops.
    if ([FailureAnswer, NoAnswer, UpstreamError].some((kind) => error instanceof kind)) return
    throw error
  }
}

/** Passes a request on, unless the answer is kept. */
async function pass(
  { client, answers }: { client: BatchClient | undefined; answers: AnswerCache },
  method: string,
  params: readonly unknown[],
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const known = answers.find(method, params)
  if (known !== undefined) return known
  if (client === undefined) {
    throw new UpstreamError(`${method} asks the upstream, and nobody may be asked offline`, {
      transient: false,
    })
  }
  try {
    answers.prepare(method)
    const answer = await client.ask({
      method,
      params,
      read: (result) => result,
      onFailure: () => 'tell',
      isSlow: SLOW_METHODS.test(method),
      signal,
    })
    void answers.keep(method, params, answer)
    return answer
  } catch (error) {
    if (error instanceof FailureAnswer) throw passedOn(error)
    if (!(error instanceof NoAnswer)) throw error
    const { message, transient } = error
    throw new UpstreamError(`upstream did not answer ${method}: ${message}`, { transient })
  }
}

/** Hosts whose nodes are the user's own, which do not mind traces. */
const OWN_HOSTS = ['localhost', '127.0.0.1', '[::1]']

function prefetchOf({ prefetch = 'auto', url }: UpstreamOptions): 'trace' | 'access-list' | 'off' {
  if (prefetch !== 'auto') return prefetch
  return OWN_HOSTS.includes(new URL(url).hostname) ? 'trace' : 'access-list'
}

/** System contracts with the slots of their queues, and the coinbase: what each block reads. */
function initialKeys({ header }: UpstreamBlock, rules: ForkRules): RemoteKeys {
  const contracts = systemContracts(rules).map(({ address }) => addressKeyFromHex(address))
  return {
    accounts: [...new Set([...contracts, addressKey(header.coinbase)])],
    slots: queueSlots(rules),
  }
}

/** Whether a text holds a secret, and so must not be written to a file. */
function secretsOf(endpoint: Endpoint): (text: string) => boolean {
  return (text) => endpoint.clean(text) !== text
}

function warner({ onWarning }: UpstreamOptions): (message: string) => void {
  return onWarning ?? (() => undefined)
}
