import type { PendingView } from '../chain/building/pendingView.ts'
import type { Chain } from '../chain/chain.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'

/** A pending view, and the transactions that it adds to the one before. */
export interface Slice {
  readonly view: PendingView
  readonly added: readonly ExecutedTransaction[]
  /** As in {@link Publication}. */
  readonly before?: PendingView | undefined
  /** Number of slices of this block before it; a tick that took something has none. */
  readonly index?: number
  /** As in {@link Publication}. */
  readonly total?: number
}

/** Calls `listener` with what it is to tell of; returns a function that stops this. */
export type SliceSource = (chain: Chain, listener: (slice: Slice) => void) => () => void

/**
 * The opening of each block and each tick, as networks publish them, without what faults change
 * right before the seal. A block that is built anew adds all that it holds.
 */
export const everySlice: SliceSource = (chain, listener) =>
  chain.events.published.add(({ view, before, slice, total, isCheat, isAtSeal }) => {
    if (isCheat || isAtSeal) return
    const added = view.executed.slice(before?.executed.length ?? 0)
    listener({ view, added, before, index: slice, total })
  })

/** Each tick that pre-confirmed transactions. */
export const takingTicks: SliceSource = (chain, listener) =>
  chain.events.ticked.add(({ view, executed, isAtSeal }) => {
    if (!isAtSeal) listener({ view, added: executed })
  })
