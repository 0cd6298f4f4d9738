import { OPENING_READS, openingDeposits } from '../../protocol/rollup/openingDeposits.ts'
import type { ChainState } from '../chainState.ts'
import type { TickResult } from './blockBuilder.ts'
import { executeListed } from './executeListed.ts'
import type { PendingView } from './pendingView.ts'

/**
 * Executes the deposits that open each block of an OP Stack chain; commits, but does not publish
 * the view that shows them. A block has them from its beginning; one that a command has opened
 * again gets them with the next tick, or its seal. For commands, a block with nothing else is
 * empty.
 *
 * @param view - of an empty block
 * @returns the same view if the chain does not have the contracts that they call
 */
export async function openOpStackBlock(
  view: PendingView,
  state: Pick<ChainState, 'engine' | 'store' | 'blockHashes' | 'closing'>,
): Promise<TickResult & { readonly view: PendingView }> {
  const ready = view.state.lazyReads?.all(OPENING_READS)
  if (ready !== undefined) await ready
  const { keccak256 } = state.engine.crypto
  const transactions = openingDeposits(view.environment, view.state, keccak256)
  return await executeListed({ transactions }, view, state, state.closing.signal)
}
