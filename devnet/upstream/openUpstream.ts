import { forkOptions } from '../options/groups/forkOptions.ts'
import { OptionError, reasonOf } from '../primitives/errors.ts'
import { isBytes, isSameHex } from '../primitives/hex.ts'
import { forkRules } from '../protocol/forks.ts'
import { openingKeys } from '../protocol/requests.ts'
import { addressKey } from '../state/keys.ts'
import { UpstreamError } from '../state/remote/remoteSource.ts'
import { BlockCache } from './cache/blockCache.ts'
import {
  type CachedBlock,
  CacheFolder,
  type KnownCapabilities,
  NOTHING_KNOWN,
} from './cache/cacheFolder.ts'
import { NO_KEEPER } from './cache/keeper.ts'
import { notRecorded, Recording } from './cache/recording.ts'
import { BatchClient } from './client/batchClient.ts'
import type { Capabilities } from './client/capabilities.ts'
import { Endpoint } from './client/endpoint.ts'
import { openHttpTransport } from './client/httpTransport.ts'
import { type UpstreamTime, WALL_TIME } from './client/upstreamTime.ts'
import { firstAnswers, openingError, type Start } from './firstAnswers.ts'
import { baseFeeOf, hardforkOf } from './hardforkOf.ts'
import { PassedRequests } from './passedRequests.ts'
import { readPending } from './pendingBlock.ts'
import { StateSource } from './state/stateSource.ts'
import type { Upstream, UpstreamOptions, UpstreamPending } from './types.ts'
import { readBlock } from './upstreamBlock.ts'

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
  const { url, recording: path, onWarning = () => undefined } = options
  const recording = path === undefined ? undefined : Recording.open(path, time, onWarning)
  if (recording?.isPlayed) {
    const endpoint = { origin: recording.path, key: '', hasSecret: () => false }
    return openOffline({ options, endpoint, folder: undefined, recording, time, onWarning })
  }
  if (url === undefined) {
    throw new OptionError(`The recording ${path} does not exist: a URL is needed to make it.`)
  }
  const endpoint = new Endpoint(url, options.headers)
  const folder = recording === undefined ? await CacheFolder.choose(options.cache) : undefined
  const setup = { options, endpoint, folder, recording, time, onWarning }
  if (options.offline === true) return openOffline(setup)
  const found = (await folder?.readCapabilities(endpoint.key)) ?? NOTHING_KNOWN
  const {
    timeout = forkOptions.forkTimeout.default,
    batch = forkOptions.forkBatch.default,
    concurrency = forkOptions.forkConcurrency.default,
  } = options
  const transport = await openHttpTransport(endpoint, { timeout, connections: concurrency })
  const client = new BatchClient(endpoint, transport, { time, timeout, batch, concurrency })
  const giveUp = () => void client.close()
  options.signal?.addEventListener('abort', giveUp)
  let cache: BlockCache | undefined
  try {
    const last = found.last === undefined ? undefined : found.chains.get(found.last)
    const findStart = async (block = options.block) => {
      const chosen = { ...options, block }
      const start = await firstAnswers(chosen, client, last?.accountInfo)
      recording?.begin(blockToCache(start, endpoint))
      return start
    }
    const start = await (recording === undefined
      ? findStart()
      : recording.starts.run(() => findStart(recording.blockFor(options.block)?.hash)))
    const known = found.chains.get(start.chainId) ?? {}
    const capabilities = { ...known, accountInfo: start.accountInfo ?? known.accountInfo }
    if (capabilities.batch !== undefined) client.pace.limit(capabilities.batch)
    cache = await openCache(blockToCache(start, endpoint), setup)
    return await open(start, { ...setup, client, cache, capabilities })
  } catch (error) {
    await Promise.all([client.close(), cache?.close()])
    throw error
  } finally {
    options.signal?.removeEventListener('abort', giveUp)
  }
}

/** The cache of a block, from the recording or the folder, or for this run alone. */
function openCache(block: CachedBlock, { folder, recording, time, onWarning }: Setup) {
  return BlockCache.open(recording ?? folder?.keeper(block, time, onWarning) ?? NO_KEEPER)
}

function blockToCache({ chainId, block }: Start, { key }: Pick<Endpoint, 'key'>): CachedBlock {
  const { number, hash } = block
  return { upstream: key, chainId, number, hash }
}

/** Parameters of any upstream. */
interface Setup {
  readonly options: UpstreamOptions
  readonly endpoint: Pick<Endpoint, 'origin' | 'key' | 'hasSecret'>
  readonly folder: CacheFolder | undefined
  /** Takes the place of the folder. */
  readonly recording: Recording | undefined
  readonly time: UpstreamTime
  readonly onWarning: (message: string) => void
}

async function openOffline(setup: Setup): Promise<Upstream> {
  const { options, endpoint, folder, recording } = setup
  const { path } = recording ?? folder ?? {}
  if (path === undefined) throw new OptionError('Offline mode needs the cache of the upstream.')
  const { chains } = (await folder?.readCapabilities(endpoint.key)) ?? NOTHING_KNOWN
  const only = recording?.blockFor(options.block) ?? (await cachedBlock(path, setup, chains))
  const cache = await openCache(only, setup)
  try {
    const block = readAgain(path, readBlock, cache.fact('block'))
    if (block !== undefined && (block.hash !== only.hash || block.number !== only.number)) {
      throw damaged(path, `it names block ${only.number} (${only.hash}) and holds another`)
    }
    if (block === undefined) {
      throw new UpstreamError(
        `The cache in ${path} does not hold the header of block ${only.number}: run once without offline mode.`,
      )
    }
    const start: Start = { chainId: only.chainId, block, config: undefined }
    const capabilities = chains.get(only.chainId) ?? {}
    return await open(start, { ...setup, client: undefined, cache, capabilities })
  } catch (error) {
    await cache.close()
    throw error
  }
}

/** The block of the options, if a folder has exactly one. */
async function cachedBlock(
  path: string,
  { options, endpoint, folder }: Setup,
  chains: KnownCapabilities['chains'],
): Promise<CachedBlock> {
  const wanted = options.block
  if (!(isBytes(wanted, 32) || (typeof wanted === 'bigint' && wanted >= 0n))) {
    throw new OptionError('Offline mode needs a fork block by number or hash.')
  }
  const blocks = (await folder?.blocks(endpoint.key)) ?? []
  const found = blocks.filter(({ number, hash, chainId }) =>
    isBytes(wanted, 32)
      ? hash === wanted.toLowerCase()
      : number === wanted && (chains.size === 0 || chains.has(chainId)),
  )
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  throw new UpstreamError(
    only === undefined
      ? `The cache in ${path} does not hold block ${wanted}: run once without offline mode. What it holds of other URLs does not count.`
      : `The cache in ${path} holds ${found.length} blocks with the number ${wanted}: name the block by its hash.`,
  )
}

/** Makes the upstream of the first answers, and reads what a chain begins with. */
async function open(
  { chainId, block, pending: asked, config }: Start,
  parts: Setup & {
    /** `undefined` offline. */
    readonly client: BatchClient | undefined
    readonly cache: BlockCache
    readonly capabilities: Capabilities
  },
): Promise<Upstream> {
  const { options, endpoint, folder, recording, client, cache, capabilities, onWarning } = parts
  const { origin, hasSecret } = endpoint
  // Upstreams repeat keys wherever they like.
  const keep = (name: 'block' | 'config' | 'pending', value: unknown) => {
    if (value !== undefined && !hasSecret(JSON.stringify(value))) cache.keepFact(name, value)
  }
  keep('block', block.json)
  // Only for recordings: otherwise, each run has another pending block.
  if (recording !== undefined) keep('pending', asked?.json)
  const pending = asked ?? keptPending(options, cache.fact('pending'))
  const source = new StateSource({
    ...{ chainId, block, client, cache, capabilities, prefetch: prefetchOf(options) },
  })
  // A transaction is executed by the rules of its own block.
  const { header } = (options.transaction && pending) || block
  const judged = { ...block, number: header.number, header }
  keep('config', config)
  const evidence = { chainId, block: judged, config: config ?? cache.fact('config') }
  const [hardfork, hardforkFrom] = await hardforkOf({ ...evidence, option: options.hardfork })
  const keys = openingKeys(forkRules(hardfork), [addressKey(block.header.coinbase)])
  const values = await source.load(keys)
  for (const value of [...values.accounts, ...values.slots]) {
    if (value instanceof UpstreamError) throw await openingError(value, block, client)
  }

  async function keepCapabilities(): Promise<void> {
    if (client === undefined || folder === undefined) return
    capabilities.batch = client.pace.learned ?? capabilities.batch
    try {
      await folder.writeCapabilities(endpoint.key, chainId, capabilities)
    } catch (error) {
      onWarning(`what was learned of the upstream cannot be written: ${reasonOf(error)}`)
    }
  }
  await keepCapabilities()
  const passed = new PassedRequests({ client, cache, hasSecret, number: block.number })
  const sweeping = folder?.sweep().catch((error: unknown) => {
    onWarning(`old files of the upstream's cache cannot be removed: ${reasonOf(error)}`)
  })
  recording?.ready()
  let closing: Promise<void> | undefined
  async function close(reason: UpstreamError | undefined): Promise<void> {
    await client?.close(reason)
    await Promise.all([cache.close(), sweeping])
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
    request: (...asked) => passed.request(...asked),
    status: () => ({ ...(client?.sent ?? NOTHING_SENT), cached: source.cached }),
    close: (reason) => (closing ??= close(reason)),
  }
}

/** The transactions on top of the block, which a recording has. */
function keptPending(
  { transaction, block, recording = '' }: UpstreamOptions,
  json: unknown,
): UpstreamPending | undefined {
  if (transaction === undefined && block !== 'pending') return undefined
  const pending = readAgain(recording, readPending, json)
  const last = pending?.transactions.at(-1)?.hash
  if (transaction === undefined || isSameHex(last, transaction)) return pending
  throw notRecorded(recording, `the block up to transaction ${transaction}`)
}

/** A kept answer, read as when it came. @throws {UpstreamError} if it is damaged */
function readAgain<Value>(path: string, read: (json: unknown) => Value, json: unknown = null) {
  try {
    return read(json)
  } catch (error) {
    throw damaged(path, `it holds ${reasonOf(error)}`)
  }
}

function damaged(path: string, problem: string): UpstreamError {
  return new UpstreamError(`${path} is damaged, ${problem}: delete it to read it anew.`)
}

const NOTHING_SENT = { requests: 0, items: 0, waiting: 0, failed: 0, lastFailure: null }

function prefetchOf({ prefetch = 'auto', url, recording }: UpstreamOptions) {
  if (prefetch !== 'auto') return prefetch
  // A prefetch that is late or misses values would make recorded runs differ.
  return url === undefined || recording !== undefined ? 'off' : 'access-list'
}
