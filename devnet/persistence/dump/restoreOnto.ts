import type { Chain } from '../../chain/chain.ts'
import type { ForkOrigin } from '../../chain/forkedBase.ts'
import { RefusedError } from '../../primitives/errors.ts'
import { toHex } from '../../primitives/hex.ts'
import type { ForkSchedule } from '../../protocol/forkSchedule.ts'
import { VersionedStore } from '../../state/store/versionedStore.ts'
import type { FreshState } from './anvilDump.ts'
import { forksToJson } from './forksJson.ts'
import { forkOf, type SavedFork } from './forkText.ts'
import { chainOf, type Restored, readDump, restoreChain, restoreKnown } from './restoreChain.ts'

/** More versions than the present chain can make while a dump is read. */
const VERSIONS_MEANWHILE = 1 << 20

/**
 * Restores a dump that is to replace the chain of a running node. Changes nothing yet.
 *
 * @param dump - its label is its name in errors
 * @param fresh - used where a dump of anvil lacks something
 * @param signal - cancels it when aborted
 * @throws {RefusedError} if the dump is of a chain with other hardforks or on another fork block
 * @throws {ChainFileError} if it is malformed, or does not match its roots and hashes
 */
export async function restoreOnto(
  { engine, origin, store: present }: Chain,
  { bytes, label }: { readonly bytes: Uint8Array; readonly label: string },
  fresh: Omit<FreshState, 'origin'>,
  signal: AbortSignal,
): Promise<Restored> {
  const dump = await readDump(bytes, label, signal)
  const schedule = chainOf(dump)?.schedule ?? engine.schedule
  if (!areSame(schedule, engine.schedule)) {
    throw new RefusedError(
      `${label} is of a chain with other hardforks: start a node with the option loadState`,
    )
  }
  const fork = forkOf(dump)
  if (chainOf(dump) !== undefined) checkFork(label, fork, origin)
  if (fork !== undefined && origin !== undefined) {
    await restoreKnown(dump, fork, engine, origin.remote, signal)
  }
  // Version numbers continue, so that a request still reading an old block gets no new state.
  const store = new VersionedStore(
    engine.codes,
    present.newest + VERSIONS_MEANWHILE,
    origin?.remote,
  )
  return await restoreChain(dump, engine, store, { ...fresh, origin }, signal)
}

/** The fork block stays when a state is loaded, because its upstream does. */
function checkFork(
  label: string,
  saved: SavedFork | undefined,
  present: ForkOrigin | undefined,
): void {
  if (nameOf(saved) === nameOf(present)) return
  throw new RefusedError(
    `${label} is of a chain on ${nameOf(saved)}, and this one stands on ${nameOf(present)}: start a node with the option loadState`,
  )
}

function nameOf(fork: Pick<ForkOrigin, 'chainId' | 'number' | 'hash'> | undefined): string {
  if (fork === undefined) return 'a genesis block'
  return `block ${fork.number} (${toHex(fork.hash)}) of chain ${fork.chainId}`
}

function areSame(one: ForkSchedule, other: ForkSchedule): boolean {
  return JSON.stringify(forksToJson(one)) === JSON.stringify(forksToJson(other))
}
