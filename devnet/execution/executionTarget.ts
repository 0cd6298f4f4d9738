import type { Chain } from '../chain/chain.ts'
import type { PendingView } from '../chain/pendingView.ts'
import type { BlockContext, BlockHashes } from '../engine/types.ts'
import type { SealedBlock } from '../protocol/block.ts'
import { blobBaseFee } from '../protocol/fees.ts'
import type { StateView } from '../state/store/versionedStore.ts'

/** What an execution runs on. Short-lived: made and handed on in one turn of the event loop. */
export interface ExecutionTarget {
  readonly state: StateView
  /** The block that code sees. */
  readonly block: BlockContext
  readonly blockHashes: BlockHashes
}

/**
 * The pending block with its state, or a sealed block with the state after it: its own header is what code sees, as in
 * geth's `eth_call`.
 *
 * @throws {VersionGoneError} where the state of the block is not kept any more
 */
export function executionTarget(chain: Chain, block: SealedBlock | PendingView): ExecutionTarget {
  const { blockHashes } = chain
  if ('environment' in block) return { state: block.state, block: block.environment, blockHashes }
  return {
    state: chain.store.view(block.version),
    block: headerContext(block),
    blockHashes,
  }
}

/** What code sees in the block with this header. */
export function headerContext({
  header,
  rules,
}: Pick<SealedBlock, 'header' | 'rules'>): BlockContext {
  return {
    number: header.number,
    timestamp: header.timestamp,
    gasLimit: header.gasLimit,
    baseFeePerGas: header.baseFeePerGas ?? 0n,
    coinbase: header.coinbase,
    prevRandao: header.mixHash,
    difficulty: header.difficulty,
    blobBaseFee: blobBaseFee(header.excessBlobGas ?? 0n, rules.blobSchedule),
  }
}
