import type { PendingView } from '../chain/pendingView.ts'
import { type Hex, quantity } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'

/** 32 zero bytes: what stands for the hash of a block that is not sealed. */
export const ZERO_HASH: Hex = `0x${'0'.repeat(64)}`

/** What transactions, receipts and logs say about their block. */
export interface BlockPlace {
  /** `null` while the block is not sealed. */
  readonly hash: Hex | null
  readonly number: Hex
  /** s since the epoch. */
  readonly timestamp: Hex
}

/** What tells the place of a sealed block. */
type Placed = Pick<SealedBlock, 'header' | 'hash'>

/** Whether a block is the pending one. */
export function isPending<Sealed extends Placed>(
  block: Sealed | PendingView,
): block is PendingView {
  return 'environment' in block
}

/** The place that a block gives to what is in it. */
export function placeOf(block: Placed | PendingView): BlockPlace {
  const sealed = !isPending(block)
  const { number, timestamp } = sealed ? block.header : block.environment
  return {
    hash: sealed ? block.hash : null,
    number: quantity(number),
    timestamp: quantity(timestamp),
  }
}
