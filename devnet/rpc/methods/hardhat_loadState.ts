import type { ForkOrigin } from '../../chain/forkedBase.ts'
import { data, params } from '../../json/params.ts'
import { forksToJson } from '../../persistence/dump/forksJson.ts'
import type { SavedFork } from '../../persistence/dump/forkText.ts'
import {
  chainOf,
  forkOf,
  type Restored,
  readDump,
  restoreChain,
  restoreKnown,
} from '../../persistence/dump/restoreChain.ts'
import { ChainFileError, InvalidParamsError, RefusedError } from '../../primitives/errors.ts'
import { fromHex, type Hex, toHex } from '../../primitives/hex.ts'
import type { ForkSchedule } from '../../protocol/forkSchedule.ts'
import { ETHER } from '../../protocol/units.ts'
import { VersionedStore } from '../../state/store/versionedStore.ts'
import type { RpcContext } from '../context.ts'
import { defineMethod } from '../method.ts'

/** More versions than the present chain can make while a dump is read. */
const VERSIONS_MEANWHILE = 1 << 20

/**
 * Replaces the chain with the one in a dump of this node or of anvil, and deletes all snapshots.
 * anvil would merge the two: slots, accounts and nonces from after the dump would stay. A forked
 * chain stays on its fork block, and a dump of anvil is laid over that.
 */
export default defineMethod({
  params: params(data()),
  browser: false,
  async handle(context, [state], { signal }) {
    const { base, clock } = await restore(context, state, signal)
    await context.clocks.load(base, clock)
    return true
  },
})

async function restore(
  { chain, clocks, accounts, options }: RpcContext,
  state: Hex,
  signal: AbortSignal,
): Promise<Restored> {
  const { engine } = chain
  const fresh = {
    accounts: [...accounts.keys()],
    balance: BigInt(options.balance) * ETHER,
    timestamp: Math.floor(clocks.now / 1000),
  }
  try {
    const dump = await readDump(fromHex(state), 'the state', signal)
    const schedule = chainOf(dump)?.schedule ?? engine.schedule
    if (!areSame(schedule, engine.schedule)) {
      throw new RefusedError(
        'the state is of a chain with other hardforks: start a node with the option loadState',
      )
    }
    const { origin } = chain
    const fork = forkOf(dump)
    if (chainOf(dump) !== undefined) checkFork(fork, origin)
    if (fork !== undefined && origin !== undefined) {
      await restoreKnown(dump, fork, engine, origin.remote, signal)
    }
    // Version numbers continue, so that a request still reading an old block gets no new state.
    const first = chain.store.newest + VERSIONS_MEANWHILE
    const store = new VersionedStore(engine.codes, first, origin?.remote)
    return await restoreChain(dump, engine, store, { ...fresh, origin }, signal)
  } catch (error) {
    if (!(error instanceof ChainFileError)) throw error
    throw new InvalidParamsError(error.message, { cause: error })
  }
}

/** The fork block stays when a state is loaded, because its upstream does. */
function checkFork(saved: SavedFork | undefined, present: ForkOrigin | undefined): void {
  if (nameOf(saved) === nameOf(present)) return
  throw new RefusedError(
    `the state is of a chain on ${nameOf(saved)}, and this one stands on ${nameOf(present)}: start a node with the option loadState`,
  )
}

function nameOf(fork: Pick<ForkOrigin, 'chainId' | 'number' | 'hash'> | undefined): string {
  if (fork === undefined) return 'a genesis block'
  return `block ${fork.number} (${toHex(fork.hash)}) of chain ${fork.chainId}`
}

function areSame(one: ForkSchedule, other: ForkSchedule): boolean {
  return JSON.stringify(forksToJson(one)) === JSON.stringify(forksToJson(other))
}
