import type { PendingView } from '../chain/building/pendingView.ts'
import { ZERO_HASH } from '../primitives/bytes.ts'
import { type Hex, quantity, toHex } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'

/** Hash of a block that has none yet: 32 zero bytes. */
export const PENDING_HASH: Hex = toHex(ZERO_HASH)

/** The block as transactions, receipts and logs refer to it. */
export type BlockRef = ReturnType<typeof blockRefOf>

/** The parts of a sealed block that {@link blockRefOf} needs. */
type Placed = Pick<SealedBlock, 'header' | 'hash'>

export function isPending<Sealed extends Placed>(
  block: Sealed | PendingView,
): block is PendingView {
  return 'environment' in block
}

export function blockRefOf(block: Placed | PendingView) {
  const sealed = !isPending(block)
  const { number, timestamp } = sealed ? block.header : block.environment
  return {
    /** `null` while the block has none. */
    hash: block.hash ?? null,
    number: quantity(number),
    /** s since the epoch. */
    timestamp: quantity(timestamp),
  }
}
