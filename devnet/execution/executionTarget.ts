import type { Chain } from '../chain/chain.ts'
import type { PendingView } from '../chain/pendingView.ts'
import type { BlockContext, BlockHashes } from '../engine/types.ts'
import type { SealedBlock } from '../protocol/block.ts'
import { headerContext } from '../protocol/environment.ts'
import type { HeldState } from './machineLease.ts'

/**
 * State and block of an execution. Use it in the turn of the event loop in which it was made: its
 * state is retained only once an execution begins.
 */
export interface ExecutionTarget {
  readonly state: HeldState
  /** The block that code sees. */
  readonly block: BlockContext
  readonly blockHashes: BlockHashes
}

/**
 * The pending block with its state, or a sealed block with the state after it. Code sees this
 * block, not the next one, as in geth's `eth_call`.
 *
 * @throws {VersionGoneError} if the block's state is no longer kept
 */
export function executionTarget(chain: Chain, block: SealedBlock | PendingView): ExecutionTarget {
  const { blockHashes } = chain
  if ('environment' in block) return { state: block.state, block: block.environment, blockHashes }
  return { state: chain.store.view(block.version), block: headerContext(block), blockHashes }
}
