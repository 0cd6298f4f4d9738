import { NodeStoppedError } from './chain/blockProducer.ts'
import type { Chain } from './chain/chain.ts'
import { type ChainBase, createChainBase } from './chain/chainBase.ts'
import { deriveAccounts } from './chain/devAccounts.ts'
import type { Clocks } from './clock/clocks.ts'
import type { CoverageRecorder } from './engine/coverageCalls.ts'
import { Engine } from './engine/engine.ts'
import { ExecutionAbortedError } from './engine/scheduler.ts'
import type { Options } from './options/options.ts'
import { optionTable } from './options/optionTable.ts'
import type { SavedClock } from './persistence/dump/dumpText.ts'
import type { Dump } from './persistence/dump/restoreChain.ts'
import { OptionError } from './primitives/errors.ts'
import type { Hex } from './primitives/hex.ts'
import { type ForkLimits, ForkSchedule } from './protocol/forkSchedule.ts'
import { ETHER } from './protocol/units.ts'
import { Codes } from './state/codes.ts'
import { VersionedStore } from './state/store/versionedStore.ts'
import type { DevAccount, ImportEvent, LoadEvent } from './types.ts'

/** The chain that a node starts with. */
export interface LoadedChain {
  readonly engine: Engine
  readonly base: ChainBase
  /** The unlocked accounts; a genesis file or state decides their balances. */
  readonly accounts: readonly DevAccount[]
  /** Virtual time at which the clocks start, in s since the epoch. */
  readonly time: number
  /** `undefined` if there was nothing to import. */
  readonly imported?: ImportEvent | undefined
  /** What a state file holds besides the chain; `undefined` if none was loaded. */
  readonly restored?: {
    /** `undefined`: time continues from the newest block, or from now if that is later. */
    readonly clock: SavedClock | undefined
    /** Instance id of the node that saved it; `undefined` if none was saved. */
    readonly instanceId: Hex | undefined
    readonly event: LoadEvent
  }
}

/**
 * Makes the chain that the options describe: a new one, one from a genesis file and its blocks, or
 * one from a state file.
 *
 * @param signal - cancels an import or a load when aborted
 * @param coverage - records the coverage of all executions; default: none is recorded
 * @throws {ChainFileError} if a file is missing or damaged, or does not verify
 * @throws {OptionError} if the options contradict the chain in a state file, or ask for a time
 * before its newest block
 */
export async function loadChain(
  options: Options,
  signal: AbortSignal,
  coverage?: CoverageRecorder,
): Promise<LoadedChain> {
  const now = options.timestamp ?? Math.floor(Date.now() / 1000)
  const loading: Loading = { options, now, signal, coverage }
  const statePath = await stateToLoad(options)
  if (statePath !== undefined) return loadState(statePath, loading)
  if (options.genesis !== undefined) return loadFiles(options.genesis, loading)
  const { engine, accounts, fresh } = await createEngine(ownChain(options), loading)
  const genesis = { ...fresh, gasLimit: BigInt(options.gasLimit), baseFee: options.baseFee }
  return { engine, base: createChainBase(genesis, engine), accounts, time: now }
}

/** Restores the clocks and pending work of a loaded state. Call this before the clocks start. */
export async function goOn(loaded: LoadedChain, chain: Chain, clocks: Clocks): Promise<void> {
  const { base, restored, time } = loaded
  if (restored === undefined) return
  clocks.restore(restored.clock, time)
  await chain.write((job) => job.load(base))
}

/** The state file to load, if any; that of the option `state` need not exist yet. */
async function stateToLoad({ state, loadState }: Options): Promise<string | undefined> {
  if (state === undefined) return loadState
  const { isThere } = await import('./persistence/stateFile.ts')
  return (await isThere(state)) ? state : undefined
}

type ChainIdentity = { readonly chainId: number; readonly schedule: ForkSchedule }

function ownChain({ chainId, hardfork }: Options): ChainIdentity {
  return { chainId, schedule: ForkSchedule.constant(hardfork) }
}

/** The limits given; 0 means none. */
function forkLimits({ codeSizeLimit, transactionGasCap: gasCap }: Options): ForkLimits {
  return {
    ...(codeSizeLimit === undefined
      ? {}
      : { codeSizeLimit: codeSizeLimit === 0 ? Infinity : codeSizeLimit }),
    ...(gasCap === undefined
      ? {}
      : { transactionGasCap: gasCap === 0 ? undefined : BigInt(gasCap) }),
  }
}

/** What a chain is loaded with. */
interface Loading {
  readonly options: Options
  /** s since the epoch. */
  readonly now: number
  readonly signal: AbortSignal
  readonly coverage: CoverageRecorder | undefined
}

async function createEngine(identity: ChainIdentity, { options, now, coverage }: Loading) {
  const engine = await Engine.create({
    ...identity,
    schedule: identity.schedule.withLimits(forkLimits(options)),
    engine: options.engine,
    coverage,
    codes: (keccak256) => new Codes(keccak256),
  })
  const accounts = await deriveAccounts(options.mnemonic, options.accounts, engine.crypto)
  const fresh = {
    timestamp: now,
    accounts: accounts.map(({ address }) => address),
    balance: BigInt(options.balance) * ETHER,
  }
  return { engine, accounts, fresh }
}

async function loadFiles(genesisPath: string, loading: Loading) {
  const { options, now, signal } = loading
  // Imported on demand, because most nodes load no files.
  const [{ createFileBase, readGenesisFile }, { importChain }] = await Promise.all([
    import('./persistence/import/genesisFile.ts'),
    import('./persistence/import/importChain.ts'),
  ])
  const genesis = await readGenesisFile(genesisPath)
  const { engine, accounts } = await createEngine(genesis, loading)
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

async function loadState(path: string, loading: Loading) {
  const { options, signal } = loading
  const start = performance.now()
  // Imported on demand, because most nodes load no files.
  const [{ readChainFile }, { chainOf, readDump, restoreChain }] = await Promise.all([
    import('./persistence/stateFile.ts'),
    import('./persistence/dump/restoreChain.ts'),
  ])
  const dump = await readDump(await readChainFile(path), path, signal).catch(stoppedInstead)
  const saved = chainOf(dump)
  if (saved !== undefined) checkChain(dump, saved, options)
  const { engine, accounts, fresh } = await createEngine(saved ?? ownChain(options), loading)
  const store = new VersionedStore(engine.codes)
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
    file: path,
    blocks: head.number - oldest + 1,
    number: head.number,
    hash: head.hash,
    elapsed: performance.now() - start,
  }
  const { base, instanceId } = restored
  return { engine, base, accounts, time, restored: { clock, instanceId, event } }
}

function stoppedInstead(error: unknown): never {
  throw error instanceof ExecutionAbortedError ? new NodeStoppedError() : error
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
