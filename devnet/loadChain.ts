import type { Chain } from './chain/chain.ts'
import { type ChainBase, createChainBase } from './chain/chainBase.ts'
import { deriveAccounts } from './chain/devAccounts.ts'
import type { Clocks } from './clock/clocks.ts'
import { Engine } from './engine/engine.ts'
import type { Options } from './options/options.ts'
import type { SavedClock } from './persistence/dump/capture.ts'
import { OptionError } from './primitives/errors.ts'
import type { Hex } from './primitives/hex.ts'
import { ForkSchedule } from './protocol/forkSchedule.ts'
import { ETHER } from './protocol/units.ts'
import { Codes } from './state/codes.ts'
import type { DevAccount, ImportEvent, LoadEvent } from './types.ts'

/** What a node goes on from. */
export interface LoadedChain {
  readonly engine: Engine
  readonly base: ChainBase
  /** The unlocked accounts; of a genesis file they have what it gives them. */
  readonly accounts: readonly DevAccount[]
  /** Virtual time that the clocks start at, in s since the epoch. */
  readonly time: number
  /** `undefined` where there was nothing to import. */
  readonly imported: ImportEvent | undefined
  /** `undefined` where no state was loaded. */
  readonly restored?: RestoredState
}

/** What a state file holds beside the chain. */
export interface RestoredState {
  /** `undefined`: time goes on from the newest block, or now where that is later. */
  readonly clock: SavedClock | undefined
  /** Of the node that saved it; `undefined` where it did not outlive that. */
  readonly instanceId: Hex | undefined
  readonly event: LoadEvent
}

/**
 * Makes the chain that the options describe: a devnet of its own, or that of a genesis file with its blocks.
 *
 * @param signal - ends an import when aborted
 * @throws {ChainFileError} where a file is missing, damaged, or does not verify
 * @throws {OptionError} where the time is before that of the newest block
 */
export async function loadChain(options: Options, signal: AbortSignal): Promise<LoadedChain> {
  const given = options.timestamp ?? Math.floor(Date.now() / 1000)
  const statePath = await stateToLoad(options)
  if (statePath !== undefined) {
    // Only here: most nodes need none of it.
    const { loadState } = await import('./loadState.ts')
    return loadState(statePath, options, given, signal)
  }
  if (options.genesis !== undefined) return loadFiles(options.genesis, options, given, signal)
  const { chainId, hardfork } = options
  const engine = await createEngine(chainId, ForkSchedule.constant(hardfork))
  const accounts = await deriveAccounts(options.mnemonic, options.accounts, engine.crypto)
  const base = createChainBase(
    {
      timestamp: given,
      gasLimit: BigInt(options.gasLimit),
      baseFee: options.baseFee,
      accounts: accounts.map(({ address }) => address),
      balance: BigInt(options.balance) * ETHER,
    },
    engine,
  )
  return { engine, base, accounts, time: given, imported: undefined }
}

/** Lets a chain that was loaded, and its clocks, go on from where they were saved; before the clocks start. */
export async function goOn(
  { base, restored, time }: LoadedChain,
  chain: Chain,
  clocks: Clocks,
): Promise<void> {
  if (restored === undefined) return
  clocks.restore(restored.clock, time)
  await chain.write((job) => job.load(base))
}

async function loadFiles(
  genesisPath: string,
  options: Options,
  given: number,
  signal: AbortSignal,
): Promise<LoadedChain> {
  // Only here: most nodes need none of it.
  const [{ readGenesisFile }, { createFileBase, importChain }] = await Promise.all([
    import('./persistence/import/genesisFile.ts'),
    import('./persistence/import/importChain.ts'),
  ])
  const genesis = await readGenesisFile(genesisPath)
  const engine = await createEngine(genesis.chainId, genesis.schedule)
  const accounts = await deriveAccounts(options.mnemonic, options.accounts, engine.crypto)
  const base = createFileBase(genesis, engine)
  const limits = { keepBlocks: options.keepBlocks, signal }
  const imported =
    options.import === undefined
      ? undefined
      : await importChain(options.import, base, engine, limits)
  const head = Number(base.history.head.header.timestamp)
  if (options.timestamp !== undefined && options.timestamp < head) {
    throw new OptionError(
      `The timestamp given, ${options.timestamp}, is before that of the newest block of the chain, ${head}.`,
    )
  }
  return { engine, base, accounts, time: Math.max(given, head), imported }
}

/** The file to load from; that of `state` need not be there yet. */
async function stateToLoad({ state, loadState }: Options): Promise<string | undefined> {
  if (state === undefined) return loadState
  const { isThere } = await import('./persistence/dump/stateFile.ts')
  return (await isThere(state)) ? state : undefined
}

export function createEngine(chainId: number, schedule: ForkSchedule): Promise<Engine> {
  return Engine.create({ chainId, schedule, codes: (keccak256) => new Codes(keccak256) })
}
