import { data, params } from '../../json/params.ts'
import { forksToJson } from '../../persistence/dump/forksJson.ts'
import {
  chainOf,
  type Restored,
  readDump,
  restoreChain,
} from '../../persistence/dump/restoreChain.ts'
import { ChainFileError, InvalidParamsError, RefusedError } from '../../primitives/errors.ts'
import { fromHex, type Hex } from '../../primitives/hex.ts'
import type { ForkSchedule } from '../../protocol/forkSchedule.ts'
import { ETHER } from '../../protocol/units.ts'
import { VersionedStore } from '../../state/store/versionedStore.ts'
import type { RpcContext } from '../context.ts'
import { defineMethod } from '../method.ts'

/** More versions than the present chain can make while a dump is read. */
const VERSIONS_MEANWHILE = 1 << 20

/**
 * Replaces the chain with the one in a dump of this node or of anvil, and deletes all snapshots.
 * anvil would merge the two: slots, accounts and nonces from after the dump would stay.
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
    // Version numbers continue, so that a request still reading an old block gets no new state.
    const store = new VersionedStore(engine.codes, chain.store.newest + VERSIONS_MEANWHILE)
    return await restoreChain(dump, engine, store, fresh, signal)
  } catch (error) {
    if (!(error instanceof ChainFileError)) throw error
    throw new InvalidParamsError(error.message, { cause: error })
  }
}

function areSame(one: ForkSchedule, other: ForkSchedule): boolean {
  return JSON.stringify(forksToJson(one)) === JSON.stringify(forksToJson(other))
}
