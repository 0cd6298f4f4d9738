import { EMPTY_BODY, type SealedBlock } from '../../chain/block.ts'
import type { PendingView } from '../../chain/pendingView.ts'
import type { Hex } from '../../types.ts'
import { type FormattedBlock, formatBlock } from './block.ts'
import { isPending } from './place.ts'
import { quantity } from './quantity.ts'

/** An uncle as `eth_getUncleByBlockHashAndIndex` answers it, in geth's fields. */
export type FormattedUncle = Omit<FormattedBlock, 'transactions'>

/** How many uncles a block has; `null` where there is no block. */
export function formatUncleCount(block: SealedBlock | PendingView | undefined): Hex | null {
  return block === undefined ? null : quantity(unclesOf(block).length)
}

/** The uncle at `index` of a block; `null` where there is none. */
export function formatUncleAt(
  block: SealedBlock | PendingView | undefined,
  index: bigint,
): FormattedUncle | null {
  const uncle = block === undefined ? undefined : unclesOf(block)[Number(index)]
  if (uncle === undefined) return null
  const shown = { ...EMPTY_BODY, ...uncle, executed: [] }
  const { transactions: _, ...formatted } = formatBlock(shown, false)
  return formatted
}

/** A block of this node, and so the pending one, has none. */
function unclesOf(block: SealedBlock | PendingView): SealedBlock['uncles'] {
  return isPending(block) ? EMPTY_BODY.uncles : block.uncles
}
