import { data, params } from '../../json/params.ts'
import type { Restored } from '../../persistence/dump/restoreChain.ts'
import { restoreOnto } from '../../persistence/dump/restoreOnto.ts'
import { ChainFileError, InvalidParamsError } from '../../primitives/errors.ts'
import { fromHex, type Hex } from '../../primitives/hex.ts'
import { ETHER } from '../../protocol/units.ts'
import type { RpcContext } from '../context.ts'
import { defineCommand } from '../method.ts'

/**
 * Replaces the chain with the one in a dump of this node or of anvil, and deletes all snapshots.
 * anvil would merge the two: slots, accounts and nonces from after the dump would stay. A forked
 * chain stays on its fork block, and a dump of anvil is laid over that.
 */
export default defineCommand({
  params: params(data()),
  async run(context, [state], { signal }) {
    const { base, clock } = await restore(context, state, signal)
    await context.clocks.load(base, clock)
  },
  answer: () => true,
})

async function restore(
  { chain, clocks, accounts, options }: RpcContext,
  state: Hex,
  signal: AbortSignal,
): Promise<Restored> {
  const fresh = {
    accounts: [...accounts.keys()],
    balance: BigInt(options.balance) * ETHER,
    timestamp: Math.floor(clocks.now / 1000),
  }
  try {
    const dump = { bytes: fromHex(state), label: 'the state' }
    return await restoreOnto(chain, dump, fresh, signal)
  } catch (error) {
    if (!(error instanceof ChainFileError)) throw error
    throw new InvalidParamsError(error.message, { cause: error })
  }
}
