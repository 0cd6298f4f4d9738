import type { Hex } from '../../primitives/hex.ts'

export interface StripAnswer {
  /** Oldest first. */
  readonly groups: readonly StripGroup[]
  /** `before` of the next older groups; `null` if there are none. */
  readonly next: number | null
}

export type StripGroup = BlockGroup | EmptyGroup

/** A sealed block with transactions, or the pending block. */
export interface BlockGroup {
  readonly kind: 'block'
  readonly number: number
  /** `null` while it is pending. */
  readonly hash: Hex | null
  /** s since the epoch. */
  readonly timestamp: number
  readonly gasUsed: number
  readonly gasLimit: number
  readonly transactions: number
  readonly reverted: number
  /** Ticks that took transactions, oldest first: the last 24 of them. */
  readonly ticks: readonly StripTick[]
  /** Number of older ticks that took transactions, too. */
  readonly earlierTicks: number
}

export interface StripTick {
  /** Counted from 0 in each block. */
  readonly tick: number
  readonly transactions: number
  readonly reverted: number
  readonly gasUsed: number
  /** Gas of the transactions that reverted. */
  readonly revertedGas: number
  /** Facts of a tick that ran not long ago: the last 1,000 that executed anything; else `null`. */
  readonly seen: {
    /** ms that the tick took. */
    readonly elapsed: number
    /** Number of transactions that waited after it. */
    readonly waiting: number
    /** True if it came more than a fifth of its interval late, or used up its budget. */
    readonly isLate: boolean
  } | null
}

/** Consecutive sealed blocks without transactions. */
export interface EmptyGroup {
  readonly kind: 'empty'
  readonly from: number
  readonly to: number
}
