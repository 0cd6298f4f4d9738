import type { PendingView } from '../chain/building/pendingView.ts'
import type { Chain } from '../chain/chain.ts'
import type { BlockHashes } from '../engine/types.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { BlockContext } from '../protocol/blockContext.ts'
import { headerContext } from '../protocol/environment.ts'
import type { ForkRules } from '../protocol/forks.ts'
import type { HeldState } from './machineLease.ts'

/**
 * State and block of an execution. Use it in the turn of the event loop in which it was made: its
 * state is retained only once an execution begins.
 */
export interface ExecutionTarget {
  readonly state: HeldState
  readonly block: BlockContext
  readonly blockHashes: BlockHashes
  readonly rules: ForkRules
}

/**
 * The pending block with its state, or a sealed block with the state after it. Code sees this
 * block, not the next one, as in geth's `eth_call`. It runs under the rules of the block, but on
 * the newest sealed one under the chain id and limits of the next: it asks what would happen now.
 *
 * @throws {VersionGoneError} if the block's state is no longer kept
 */
export function executionTarget(chain: Chain, block: SealedBlock | PendingView): ExecutionTarget {
  const { blockHashes, engine, head, store } = chain
  if ('environment' in block) {
    const { state, environment } = block
    return { state, block: environment, blockHashes, rules: environment.rules }
  }
  const context = headerContext(block)
  const { number, timestamp } = context
  const rules = block.number === head.number ? engine.schedule.at(number, timestamp) : block.rules
  return { state: store.view(block.version), block: context, blockHashes, rules }
}
