import { L1_ATTRIBUTES_READS, l1AttributesDeposit } from '../../protocol/rollup/l1Attributes.ts'
import type { ChainState } from '../chainState.ts'
import type { TickResult } from './blockBuilder.ts'
import { executeListed } from './executeListed.ts'
import type { PendingView } from './pendingView.ts'

/**
 * Executes the deposit that opens each block of an OP Stack chain; commits, but does not publish
 * the view that shows it. A block has it from its beginning; one that a command has opened again
 * gets it with the next tick, or its seal. For commands, a block with nothing else is empty.
 *
 * @param view - of an empty block
 * @returns the same view if the chain does not have the contract that the deposit calls
 */
export async function openOpStackBlock(
  view: PendingView,
  state: Pick<ChainState, 'engine' | 'store' | 'blockHashes' | 'closing'>,
): Promise<TickResult & { readonly view: PendingView }> {
  const ready = view.state.lazyReads?.all(L1_ATTRIBUTES_READS)
  if (ready !== undefined) await ready
  const { keccak256 } = state.engine.crypto
  const deposit = l1AttributesDeposit(view.environment, view.state, keccak256)
  const transactions = deposit === undefined ? [] : [deposit]
  return await executeListed({ transactions }, view, state, state.closing.signal)
}
