/* Blocks and their ticks, as the API answers them: see api.ts. */

import type { Counts, NotFound } from './transactionTypes.ts'
import type { Hex, Names, Wei } from './valueTypes.ts'

export interface StripParams {
  /**
   * Only groups before this block, those of the upstream if it is not above the block after the
   * fork block. Default: up to the pending block
   */
  readonly before?: number
  /** 1 to 200. Default: 200 */
  readonly limit?: number
}

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

export interface BlockParams {
  readonly id: number | Hex | 'latest' | 'pending'
  /** Asks the upstream of a forked chain, for a number or a hash. Default: false */
  readonly upstream?: boolean
}

export type BlockAnswer = BlockDetails | NotFound

export interface BlockDetails {
  readonly found: true
  readonly number: number
  /** `null` while it is pending. */
  readonly hash: Hex | null
  readonly parentHash: Hex
  /** s since the epoch. */
  readonly timestamp: number
  readonly gasUsed: number
  readonly gasLimit: number
  readonly baseFeePerGas: Wei
  readonly coinbase: Hex
  /** True if a command for many empty blocks reserved it: its hash is not that of its header. */
  readonly isReserved: boolean
  /** Number of states that were changed by command between its transactions. */
  readonly commands: number
  /** Its transactions are those from `first` to `end - 1` in `transactions`. */
  readonly positions: Pick<Counts, 'first' | 'end'>
  /** Of its first 100 transactions, if it is the upstream's: then nothing is known of ticks. */
  readonly hashes?: readonly Hex[]
  readonly reverted: number
  /** Ticks that took transactions, oldest first, at most 1,000. */
  readonly ticks: readonly StripTick[]
  readonly omittedTicks: number
  /** Numbers of the blocks beside it; `null` if there is none. */
  readonly previous: number | null
  readonly next: number | null
  /** As `eth_getHeaderByNumber` answers. */
  readonly header: unknown
  readonly names: Names
}
