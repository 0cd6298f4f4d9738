import { nodeStopped } from '../chain/building/blockFiller.ts'
import type { Chain } from '../chain/chain.ts'
import { type ChainBase, createChainBase } from '../chain/chainBase.ts'
import { deriveAccounts } from '../chain/devAccounts.ts'
import type { Clocks } from '../clock/clocks.ts'
import type { CoverageRecorder } from '../engine/coverageCalls.ts'
import { Engine } from '../engine/engine.ts'
import { ExecutionAbortedError } from '../engine/scheduler.ts'
import { forkLimits, newChainLimits } from '../options/forkLimits.ts'
import type { Options } from '../options/options.ts'
import { optionTable } from '../options/optionTable.ts'
import type { FreshState } from '../persistence/dump/anvilDump.ts'
import type { SavedClock } from '../persistence/dump/dumpText.ts'
import type { SavedFork } from '../persistence/dump/forkText.ts'
import type { Dump } from '../persistence/dump/restoreChain.ts'
import type { WalletBatch } from '../persistence/dump/walletBatches.ts'
import { OptionError } from '../primitives/errors.ts'
import { isThere, readForeignFile } from '../primitives/foreign.ts'
import { type Hex, isHex, toHex } from '../primitives/hex.ts'
import { warn } from '../primitives/warn.ts'
import { ForkSchedule } from '../protocol/forkSchedule.ts'
import { ETHER } from '../protocol/units.ts'
import { Codes } from '../state/codes.ts'
import { VersionedStore } from '../state/store/versionedStore.ts'
import type { DevAccount, ForkEvent, ImportEvent, LoadEvent } from '../types.ts'
import type { OpenUpstream } from './nodeFork.ts'
import type { ForkPlace } from './openFork.ts'
import type { TakenOver } from './takeOver.ts'

export interface LoadedChain {
  readonly engine: Engine
  readonly base: ChainBase
  /** The unlocked accounts; a genesis file or state decides their balances. */
  readonly accounts: readonly DevAccount[]
  /** Virtual time at which the clocks start, in s since the epoch. */
  readonly time: number
  /** `undefined` if there was nothing to import. */
  readonly imported?: ImportEvent | undefined
  /** The source of `base.origin`; `undefined` if the chain is not a fork. */
  readonly fork?:
    | {
        /** `undefined` if only the state file answers. */
        readonly live: OpenUpstream | undefined
        readonly event: ForkEvent
      }
    | undefined
  /** Transactions that the upstream has pre-confirmed; `undefined` if nothing is taken over. */
  readonly taken?: TakenOver | undefined
  /** Contents of a state file besides the chain; `undefined` if none was loaded. */
  readonly restored?: {
    /** `undefined`: time continues from the newest block, or from now if that is later. */
    readonly clock: SavedClock | undefined
    /** Instance id of the node that saved it; `undefined` if none was saved. */
    readonly instanceId: Hex | undefined
    readonly walletBatches: readonly WalletBatch[]
    readonly event: LoadEvent
  }
}

/**
 * Makes the chain that the options describe: a new one, one from a genesis file and its blocks, or
 * one from a state file.
 *
 * @param signal - cancels an import or a load when aborted
 * @param coverage - records the coverage of all executions; default: none is recorded
 * @param followed - the state of the node that this one follows; default: it follows none
 * @throws {ChainFileError} if a file is missing or damaged, or does not verify
 * @throws {OptionError} if the options contradict the chain in a state file, or ask for a time
 * before its newest block
 */
export async function loadChain(
  options: Options,
  signal: AbortSignal,
  coverage?: CoverageRecorder,
  followed?: StateBytes,
): Promise<LoadedChain> {
  const now = options.timestamp ?? Math.floor(Date.now() / 1000)
  const loading: Loading = { options, now, signal, coverage }
  if (followed !== undefined) return loadState(followed, loading)
  const statePath = await stateToLoad(options)
  if (statePath !== undefined) {
    const bytes = await readForeignFile(statePath)
    return loadState({ label: statePath, bytes }, loading)
  }
  if (options.genesis !== undefined) return loadFiles(options.genesis, loading)
  const place = forkAt(options)
  if (place !== undefined) return loadFork(place, loading)
  const { engine, accounts, fresh } = await createEngine(ownChain(options), loading)
  const genesis = { ...fresh, gasLimit: BigInt(options.gasLimit), baseFee: options.baseFee }
  return { engine, base: createChainBase(genesis, engine), accounts, time: now }
}

/**
 * Restores the clocks and what was saved with the chain. Call this before the clocks start.
 *
 * @param signal - ends the wait for an upstream when aborted
 */
export async function resumeLoaded(
  loaded: LoadedChain,
  chain: Chain,
  clocks: Clocks,
  signal: AbortSignal,
): Promise<void> {
  const { base, restored, time, taken } = loaded
  const live = loaded.fork?.live
  if (restored !== undefined) clocks.restore(restored.clock, time)
  if (base.saved === undefined) return
  const load = () => chain.write((writer) => writer.load(base))
  if (live === undefined) return await load()
  const giveUp = () => {
    base.origin?.remote.close()
    void live.upstream.close()
  }
  signal.addEventListener('abort', giveUp)
  try {
    await load()
    const differences = (await taken?.differences(chain.pending)) ?? []
    if (signal.aborted) throw nodeStopped()
    for (const difference of differences) warn(difference)
  } catch (error) {
    giveUp()
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

async function loadFork(place: ForkPlace, loading: Loading): Promise<LoadedChain> {
  const { options, signal } = loading
  // Imported on demand, because most nodes read no other chain.
  const { forkedBase, withUpstream, takenOver } = await import('./openFork.ts')
  const { engine, accounts, fresh, fork } = await openGround(place, loading)
  const { origin } = fresh
  const { upstream } = fork.live
  return await withUpstream(upstream, signal, async () => {
    const head = Number(origin.header.timestamp)
    checkTime(options, head)
    const { chainId, schedule } = engine
    const taken = await takenOver(upstream, { chainId, schedule }, engine)
    const base = await forkedBase(origin, engine, options, { chainId, schedule, taken })
    return { engine, base, accounts, time: options.timestamp ?? head, fork, taken }
  })
}

interface Ground {
  readonly engine: Engine
  readonly accounts: readonly DevAccount[]
  readonly fresh: FreshState
  readonly fork?: LoadedChain['fork']
}

/** The chain id and rules of the upstream hold for the chain, unless the options say otherwise. */
async function openGround(place: ForkPlace, loading: Loading) {
  const { options, signal } = loading
  const start = performance.now()
  const { connect, forkEvent, identityOf, withUpstream, originOf } = await import('./openFork.ts')
  const upstream = await connect(place, options, signal).catch(stoppedInstead)
  return await withUpstream(upstream, signal, async () => {
    const made = await createEngine(identityOf(upstream, options), loading)
    const origin = originOf(upstream, made.engine, options, made)
    const takesOver = place.block === 'pending' || place.transaction !== undefined
    const event = forkEvent(origin, made.engine, upstream, { start, takesOver })
    return { ...made, fresh: { ...made.fresh, origin }, fork: { live: { upstream, place }, event } }
  })
}

/** The fork block that the options name; `undefined` if they name none. */
function forkAt({ fork, forkHeader, forkRecording, ...options }: Options): ForkPlace | undefined {
  if (fork === undefined && forkRecording === undefined) return undefined
  const transaction = options.forkAtTransaction?.toLowerCase()
  return {
    url: fork,
    headers: forkHeader,
    block: options.forkBlockNumber,
    transaction: isHex(transaction) ? transaction : undefined,
  }
}

/** The state file to load, if any; that of the option `state` need not exist yet. */
async function stateToLoad({ state, loadState }: Options): Promise<string | undefined> {
  if (state === undefined) return loadState
  return (await isThere(state)) ? state : undefined
}

type ChainIdentity = { readonly chainId: number; readonly schedule: ForkSchedule }

function ownChain(options: Options): ChainIdentity {
  const { chainId, hardfork } = options
  const schedule = ForkSchedule.constant(hardfork).withLimits(newChainLimits(options))
  return { chainId, schedule }
}

interface Loading {
  readonly options: Options
  /** s since the epoch. */
  readonly now: number
  readonly signal: AbortSignal
  readonly coverage: CoverageRecorder | undefined
}

async function createEngine(
  identity: ChainIdentity,
  { options, now, coverage }: Loading,
): Promise<Ground> {
  const engine = await Engine.create({
    ...identity,
    engine: options.engine,
    coverage,
    codes: (keccak256) => new Codes(keccak256),
  })
  const accounts = await deriveAccounts(options.mnemonic, options.accounts, engine.crypto)
  const { first } = identity.schedule
  // Imported on demand, because most nodes are no OP Stack chain.
  const contracts = first.opStack
    ? (await import('../protocol/rollup/rollupPredeploys.ts')).rollupPredeploys(BigInt(now), first)
    : undefined
  const fresh = {
    timestamp: now,
    accounts: accounts.map(({ address }) => address),
    balance: BigInt(options.balance) * ETHER,
    contracts,
  }
  return { engine, accounts, fresh }
}

async function loadFiles(genesisPath: string, loading: Loading) {
  const { options, now, signal } = loading
  // Imported on demand, because most nodes load no files.
  const [{ createFileBase, readGenesisFile }, { importChain }] = await Promise.all([
    import('../persistence/import/genesisFile.ts'),
    import('../persistence/import/importChain.ts'),
  ])
  const genesis = await readGenesisFile(genesisPath)
  const schedule = genesis.schedule.withLimits(newChainLimits(options))
  const { engine, accounts } = await createEngine({ chainId: genesis.chainId, schedule }, loading)
  const base = await createFileBase(genesis, engine)
  const { import: blocks, keepBlocks } = options
  const imported =
    blocks === undefined
      ? undefined
      : await importChain(blocks, base, engine, { keepBlocks, signal })
  const head = Number(base.history.head.header.timestamp)
  checkTime(options, head)
  return { engine, base, accounts, time: Math.max(now, head), imported }
}

export interface StateBytes {
  /** Path of the file, or what else the state comes from. */
  readonly label: string
  readonly bytes: Uint8Array
}

async function loadState({ label, bytes }: StateBytes, loading: Loading): Promise<LoadedChain> {
  const { options, signal } = loading
  const start = performance.now()
  // Imported on demand, because most nodes load no files.
  const { readDump, restoreChain } = await import('../persistence/dump/restoreChain.ts')
  const dump = await readDump(bytes, label, signal).catch(stoppedInstead)
  const { engine, accounts, fresh, fork } = await groundForDump(dump, loading)
  try {
    const store = new VersionedStore(engine.codes, 0, fresh.origin?.remote)
    const restored = await restoreChain(dump, engine, store, fresh, signal).catch(stoppedInstead)
    const { head, oldest } = restored.base.history
    const time = Number(head.header.timestamp)
    checkTime(options, time)
    const { timestamp } = options
    const clock: SavedClock | undefined =
      timestamp === undefined
        ? restored.clock
        : { time: { stopped: timestamp * 1000 }, increased: 0, expectedTimestamp: undefined }
    const event = {
      file: label,
      blocks: head.number - oldest + 1,
      number: head.number,
      hash: head.hash,
      elapsed: performance.now() - start,
    }
    const { base, ...others } = restored
    return { engine, base, accounts, time, fork, restored: { ...others, clock, event } }
  } catch (error) {
    await fork?.live?.upstream.close()
    throw error
  }
}

/** The engine, accounts and state that a state file is loaded onto. @throws {OptionError} */
async function groundForDump(dump: Dump, loading: Loading): Promise<Ground> {
  const { options } = loading
  const { chainOf } = await import('../persistence/dump/restoreChain.ts')
  const { forkOf } = await import('../persistence/dump/forkText.ts')
  const saved = chainOf(dump)
  if (saved !== undefined) checkChain(dump, saved, options)
  const identity =
    saved === undefined
      ? ownChain(options)
      : { ...saved, schedule: saved.schedule.withLimits(forkLimits(options)) }
  const fork = forkOf(dump)
  const place = forkAt(options)
  if (fork !== undefined) return await savedGround(dump, fork, identity, loading)
  if (place === undefined) return await createEngine(identity, loading)
  // A dump of anvil holds only the changes on top of the fork block.
  if (saved === undefined) return await openGround(place, loading)
  throw new OptionError(
    `The chain in ${dump.label} is not a fork: leave fork out, or start without that file.`,
  )
}

/** Takes the fork block from the file; an upstream answers what the file does not hold. */
async function savedGround(
  dump: Dump,
  saved: SavedFork,
  identity: ChainIdentity,
  loading: Loading,
): Promise<Ground> {
  const { options, signal } = loading
  const start = performance.now()
  checkForkBlock(dump, saved, options)
  const [
    { connect, forkEvent, fundingOf, withUpstream, noUpstream },
    { RemoteLayer },
    { loadOpening },
    { restoreKnown },
  ] = await Promise.all([
    import('./openFork.ts'),
    import('../state/remote/remoteLayer.ts'),
    import('../chain/forkedBase.ts'),
    import('../persistence/dump/restoreChain.ts'),
  ])
  const chosen = forkAt(options)
  // The file already holds the transactions that were taken over.
  const place = chosen && { ...chosen, block: toHex(saved.hash), transaction: undefined }
  const upstream = place && (await connect(place, options, signal).catch(stoppedInstead))
  return await withUpstream(upstream, signal, async () => {
    if (upstream !== undefined && Number(upstream.chainId) !== saved.chainId) {
      throw new OptionError(
        `${upstream.origin} is chain ${upstream.chainId}, and the chain in ${dump.label} stands on chain ${saved.chainId}.`,
      )
    }
    const made = await createEngine(identity, loading)
    const { source } = upstream ?? noUpstream(saved)
    const remote = new RemoteLayer(source, made.engine.codes, fundingOf(made.accounts, options))
    const origin = await restoreKnown(dump, saved, made.engine, remote, signal).catch(
      stoppedInstead,
    )
    if (upstream !== undefined) remote.learn(upstream.initial.keys, upstream.initial.values)
    await loadOpening(origin, made.engine)
    const event = forkEvent(origin, made.engine, upstream, { start, isSaved: true })
    const live = upstream && place && { upstream, place }
    return { ...made, fresh: { ...made.fresh, origin }, fork: { live, event } }
  })
}

/** @throws {OptionError} if the options name another block than that of the file */
function checkForkBlock({ label }: Dump, { number, hash }: SavedFork, options: Options): void {
  const { forkBlockNumber: block } = options
  // The file already holds the transactions that were pending upstream.
  if (block === optionTable.forkBlockNumber.default || block === 'pending') return
  if (block === BigInt(number) || block === toHex(hash)) return
  throw new OptionError(
    `The fork block given, ${block}, is not that of the chain in ${label}, ${number} (${toHex(hash)}): leave it out, or start without that file.`,
  )
}

function stoppedInstead(error: unknown): never {
  throw error instanceof ExecutionAbortedError ? nodeStopped() : error
}

/** @throws {OptionError} if the chain id or the hardfork given is not that of the dump */
function checkChain({ label }: Dump, { chainId, schedule }: ChainIdentity, options: Options): void {
  const check = <Value>(name: string, given: Value, actual: Value, standard: Value) => {
    // A default is accepted: the option may just have been left out.
    if (given === actual || given === standard) return
    throw new OptionError(
      `The ${name} given, ${given}, is not that of the chain in ${label}, ${actual}: leave it out, or start without that file.`,
    )
  }
  check('chain id', options.chainId, chainId, optionTable.chainId.default)
  const { hardfork } = schedule.newest
  check<string>('hardfork', options.hardfork, hardfork, optionTable.hardfork.default)
}

function checkTime({ timestamp }: Options, head: number): void {
  if (timestamp === undefined || timestamp >= head) return
  throw new OptionError(
    `The timestamp given, ${timestamp}, is before that of the newest block of the chain, ${head}.`,
  )
}
