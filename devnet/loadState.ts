import { NodeStoppedError } from './chain/blockProducer.ts'
import { deriveAccounts } from './chain/devAccounts.ts'
import type { Engine } from './engine/engine.ts'
import { ExecutionAbortedError } from './engine/scheduler.ts'
import { createEngine, type LoadedChain } from './loadChain.ts'
import { type Options, optionTable } from './options/options.ts'
import type { SavedClock } from './persistence/dump/capture.ts'
import {
  chainOf,
  type Dump,
  type FreshState,
  type Restored,
  readDump,
  restoreChain,
} from './persistence/dump/restoreChain.ts'
import { readStateFile } from './persistence/dump/stateFile.ts'
import { OptionError } from './primitives/errors.ts'
import { ForkSchedule } from './protocol/forkSchedule.ts'
import { ETHER } from './protocol/units.ts'
import { VersionedStore } from './state/store/versionedStore.ts'

/**
 * Makes the chain of a state file.
 *
 * @param given - s since the epoch at which a chain of its own would start
 * @throws {ChainFileError} where the file is missing or damaged
 * @throws {OptionError} where the options ask for another chain
 */
export async function loadState(
  path: string,
  options: Options,
  given: number,
  signal: AbortSignal,
): Promise<LoadedChain> {
  const start = performance.now()
  const dump = await readDump(await readStateFile(path), path)
  const { chainId, schedule } = checkedChain(dump, options)
  const engine = await createEngine(chainId, schedule)
  const accounts = await deriveAccounts(options.mnemonic, options.accounts, engine.crypto)
  const fresh = {
    timestamp: given,
    accounts: accounts.map(({ address }) => address),
    balance: BigInt(options.balance) * ETHER,
  }
  const { base, clock, instanceId } = await restore(dump, engine, fresh, signal)
  const { head, oldest } = base.history
  const time = Number(head.header.timestamp)
  return {
    engine,
    base,
    accounts,
    time,
    imported: undefined,
    restored: {
      clock: options.timestamp === undefined ? clock : clockAt(options.timestamp, time),
      instanceId,
      event: {
        file: path,
        blocks: head.number - oldest + 1,
        number: head.number,
        hash: head.hash,
        elapsed: performance.now() - start,
      },
    },
  }
}

async function restore(
  dump: Dump,
  engine: Engine,
  fresh: FreshState,
  signal: AbortSignal,
): Promise<Restored> {
  try {
    return await restoreChain(dump, engine, new VersionedStore(engine.codes), fresh, signal)
  } catch (error) {
    if (error instanceof ExecutionAbortedError) throw new NodeStoppedError()
    throw error
  }
}

function clockAt(timestamp: number, head: number): SavedClock {
  if (timestamp >= head) {
    return { time: { stopped: timestamp * 1000 }, increased: 0, expectedTimestamp: undefined }
  }
  throw new OptionError(
    `The timestamp given, ${timestamp}, is before that of the newest block of the chain, ${head}.`,
  )
}

/** The file decides which chain it is; options that ask for another one are a mistake. */
function checkedChain(
  dump: Dump,
  options: Options,
): { readonly chainId: number; readonly schedule: ForkSchedule } {
  const chain = chainOf(dump)
  if (chain === undefined) {
    return { chainId: options.chainId, schedule: ForkSchedule.constant(options.hardfork) }
  }
  const { hardfork } = chain.schedule.newest
  check(dump.label, 'chain id', options.chainId, chain.chainId, optionTable.chainId.default)
  check(dump.label, 'hardfork', options.hardfork, hardfork, optionTable.hardfork.default)
  return chain
}

/** What is not given has its default, and asks for nothing. */
function check<Value>(label: string, what: string, asked: Value, is: Value, standard: Value): void {
  if (asked === is || asked === standard) return
  throw new OptionError(
    `The ${what} given, ${asked}, is not that of the chain in ${label}, ${is}: leave it out, or start without that file.`,
  )
}
