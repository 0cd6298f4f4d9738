import type { ChainBase } from '../chain/chainBase.ts'
import type { NextBlockOverrides } from '../chain/chainWork.ts'
import { createForkedBase, type ForkOrigin } from '../chain/forkedBase.ts'
import { Engine } from '../engine/engine.ts'
import { newChainLimits } from '../options/forkLimits.ts'
import { isGiven, type Options } from '../options/options.ts'
import { fromHex, type Hex, toHex } from '../primitives/hex.ts'
import { warn } from '../primitives/warn.ts'
import { ForkSchedule } from '../protocol/forkSchedule.ts'
import { forkRules } from '../protocol/forks.ts'
import { ETHER } from '../protocol/units.ts'
import { addressHex, addressKey, addressKeyFromHex, slotHex } from '../state/keys.ts'
import { type RemoteFunding, RemoteLayer } from '../state/remote/remoteLayer.ts'
import { type RemoteSource, UpstreamError } from '../state/remote/remoteSource.ts'
import type { Version } from '../state/types.ts'
import type { DevAccount, ForkEvent } from '../types.ts'
import { openUpstream } from '../upstream/openUpstream.ts'
import type { Upstream } from '../upstream/types.ts'
import type { TakenOver } from './takeOver.ts'

/** A block of another chain, and where it is read from. */
export interface ForkPlace {
  /** `undefined` if a recording answers. */
  readonly url: string | undefined
  /** `Name: value` each. */
  readonly headers: readonly string[]
  readonly block: Options['forkBlockNumber']
  /** Hash of the transaction to stand after, in lower case; default: none. */
  readonly transaction?: Hex | undefined
}

/**
 * Opens an upstream by the node's options.
 *
 * @param signal - ends the start
 * @throws {OptionError} if the URL, a header or the block is not valid
 * @throws {UpstreamError} if the block and its state cannot be read
 */
export async function connect(
  { url, headers, block, transaction }: ForkPlace,
  options: Options,
  signal: AbortSignal,
): Promise<Upstream> {
  return await openUpstream({
    url,
    block,
    transaction,
    headers: Object.fromEntries(
      headers.map((header) => {
        const colon = header.indexOf(':')
        return [header.slice(0, colon), header.slice(colon + 1).trim()]
      }),
    ),
    timeout: options.forkTimeout,
    cache: options.noForkCache ? false : options.forkCache,
    offline: options.forkOffline,
    recording: options.forkRecording,
    hardfork: isGiven(options, 'hardfork') ? options.hardfork : undefined,
    prefetch: options.forkPrefetch,
    batch: options.forkBatch,
    concurrency: options.forkConcurrency,
    signal,
    onWarning: warn,
  })
}

/**
 * Returns the result of `make`. Closes the upstream if `make` fails or the node stops meanwhile.
 *
 * @param upstream - `undefined` if only a state file answers
 * @param signal - aborts when the node stops
 */
export async function withUpstream<Result>(
  upstream: Upstream | undefined,
  signal: AbortSignal,
  make: () => Promise<Result>,
): Promise<Result> {
  const giveUp = () => void upstream?.close()
  signal.addEventListener('abort', giveUp)
  try {
    if (signal.aborted) giveUp()
    return await make()
  } catch (error) {
    await upstream?.close()
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

/** Chain id and rules of a chain that stands on this upstream's block. */
export function identityOf({ chainId, hardfork, baseFee }: Upstream, options: Options) {
  const own = isGiven(options, 'chainId') ? options.chainId : Number(chainId)
  const rules = forkRules(hardfork, { chainId: own, baseFeeRules: baseFee })
  return {
    chainId: own,
    schedule: new ForkSchedule(rules, []).withLimits(newChainLimits(options)),
  }
}

/**
 * Transactions that the upstream has pre-confirmed; `undefined` unless that was asked for and there
 * is a pending block.
 *
 * @param identity - that of the chain which is to execute it
 * @param present - an engine, which may be that of another chain
 * @throws {UpstreamError} if a transaction cannot be executed here
 */
export async function takenOver(
  upstream: Upstream,
  identity: ReturnType<typeof identityOf>,
  present: Engine,
): Promise<TakenOver | undefined> {
  if (upstream.pending === undefined) return undefined
  const { takeOver } = await import('./takeOver.ts')
  const { number, timestamp } = upstream.pending.header
  const { crypto, codes } = present
  const engine = await Engine.create({ ...identity, crypto, codes: () => codes })
  return await takeOver(upstream, engine, identity.schedule.at(number, timestamp))
}

/** The dev accounts, and the balance that the options give them. */
export function fundingOf(accounts: readonly DevAccount[], { balance }: Options): RemoteFunding {
  return {
    accounts: new Set(accounts.map(({ address }) => addressKeyFromHex(address))),
    balance: BigInt(balance) * ETHER,
  }
}

/**
 * The block that the chain is to stand on.
 *
 * @param accounts - the dev accounts, which get the balance of the options
 * @param known - a layer of the same block, with which this one shares what is known
 */
export function originOf(
  { chainId, block, source, initial }: Upstream,
  { codes }: Pick<Engine, 'codes'>,
  options: Options,
  { accounts, known }: { accounts: readonly DevAccount[]; known?: RemoteLayer | undefined },
): ForkOrigin {
  const remote = new RemoteLayer(source, codes, fundingOf(accounts, options), known)
  remote.learn(initial.keys, initial.values)
  return {
    chainId: Number(chainId),
    number: Number(block.number),
    hash: fromHex(block.hash),
    header: block.header,
    json: block.json,
    remote,
    firstBaseFee: isGiven(options, 'baseFee') ? options.baseFee : undefined,
  }
}

/** Answers for a chain that was loaded from a file, and is read from nowhere else. */
export function noUpstream({ number, hash, json }: Pick<ForkOrigin, 'number' | 'hash' | 'json'>) {
  const notInFile = (what: string) =>
    new UpstreamError(
      `the state file does not hold ${what}, and there is no upstream: start the node with --fork, or call anvil_setRpcUrl`,
      { transient: false },
    )
  const source: RemoteSource = {
    load: async ({ accounts, slots }) => ({
      accounts: accounts.map((key) => notInFile(`the account ${addressHex(key)}`)),
      slots: slots.map(([key, slot]) => notInFile(`slot ${slotHex(slot)} of ${addressHex(key)}`)),
    }),
    blockHash: (missing) => Promise.reject(notInFile(`the hash of block ${missing}`)),
  }
  return {
    source,
    block: { number: BigInt(number), hash: toHex(hash), json },
    request: (method: string): Promise<unknown> =>
      Promise.reject(notInFile(`what ${method} asks for`)),
  }
}

/**
 * Values of the block after the fork block that come from the upstream; options that are given come
 * first.
 */
function nextOf({ block }: TakenOver, options: Options): NextBlockOverrides {
  const { timestamp, baseFeePerGas } = block.header
  const { prevRandao } = block
  return {
    timestamp,
    ...(baseFeePerGas === undefined || isGiven(options, 'baseFee') ? {} : { baseFeePerGas }),
    ...(prevRandao === undefined ? {} : { prevRandao }),
  }
}

/** Gas limit of own blocks if the fork block has none, as on some chains of layer 2. */
const DEFAULT_GAS_LIMIT = 60_000_000n

/**
 * The base of a chain that stands on `origin`.
 *
 * @param engine - may be that of another chain
 * @param chainId - its own
 * @param taken - what its first block takes over from the upstream. Default: nothing
 * @param firstVersion - see {@link createForkedBase}
 * @throws {UpstreamError} if what the first block needs cannot be read
 */
export async function forkedBase(
  origin: ForkOrigin,
  engine: Engine,
  options: Options,
  {
    schedule,
    chainId,
    firstVersion = 0,
    taken,
  }: {
    schedule: ForkSchedule
    chainId: number
    firstVersion?: Version
    taken?: TakenOver | undefined
  },
): Promise<ChainBase> {
  const { header: pending } = taken?.block ?? {}
  const coinbase =
    pending === undefined || isGiven(options, 'coinbase')
      ? fromHex(options.coinbase)
      : pending.coinbase
  const { codes, crypto } = engine
  const base = await createForkedBase(
    origin,
    { codes, crypto, schedule },
    {
      accounts: [addressKey(coinbase)],
      firstVersion,
    },
  )
  const isChosen = isGiven(options, 'gasLimit') || options.coverage
  const { number, header } = origin
  return {
    ...base,
    schedule,
    saved: {
      firstHead: number,
      settings: {
        coinbase,
        gasLimit: isChosen
          ? BigInt(options.gasLimit)
          : (pending ?? header).gasLimit || DEFAULT_GAS_LIMIT,
        chainId,
        timestampInterval: undefined,
        minGasPrice: 0n,
        impersonated: new Set(),
        impersonateAll: false,
      },
      next: taken === undefined ? {} : nextOf(taken, options),
      cheatDiffs: [],
      pending: taken?.pending,
      mempool: [],
    },
  }
}

/**
 * @param upstream - `undefined` if only a state file answers
 * @param options.isSaved - whether the state file decides the hardfork. Default: false
 * @param options.takesOver - whether the pending block of the upstream was asked for
 * @param options.start - when the upstream was asked first, as of `performance.now`
 */
export function forkEvent(
  { chainId, number, hash, header }: ForkOrigin,
  { schedule }: { readonly schedule: ForkSchedule },
  upstream: Upstream | undefined,
  {
    start,
    isSaved = false,
    takesOver = false,
  }: { readonly start: number; readonly isSaved?: boolean; readonly takesOver?: boolean },
): ForkEvent {
  return {
    origin: upstream?.origin ?? null,
    chainId,
    number,
    hash: toHex(hash),
    timestamp: Number(header.timestamp),
    hardfork: schedule.newest.hardfork,
    hardforkFrom: isSaved ? 'state' : (upstream?.hardforkFrom ?? 'state'),
    preconfirmed: takesOver ? (upstream?.pending?.transactions.length ?? 0) : null,
    elapsed: performance.now() - start,
  }
}
