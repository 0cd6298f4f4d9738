/* Numbers over time and over the chain, as the API answers them: see api.ts. */
import type { Hex, Names, Wei } from './valueTypes.ts'

export interface NumbersAnswer {
  /** Transactions that were pre-confirmed in each of the last 120 s, oldest first. */
  readonly rates: readonly number[]
  /** The last 120 ticks that pre-confirmed anything, oldest first. */
  readonly ticks: readonly TickNumbers[]
  /** The last 60 sealed blocks, oldest first. */
  readonly blocks: readonly {
    readonly number: number
    readonly gasUsed: number
    readonly gasLimit: number
    readonly baseFeePerGas: Wei
  }[]
}

export interface TickNumbers {
  /** Wall time, ms since the epoch. */
  readonly time: number
  readonly transactions: number
  /** ms from acceptance to pre-confirmation: the median, and that of the slowest but 5 %. */
  readonly median: number
  readonly most: number
}

export interface GasAnswer {
  /** Number of executed transactions that were counted, and of those that are left to count. */
  readonly counted: number
  readonly left: number
  /** The most gas first, at most 200. */
  readonly rows: readonly GasRow[]
  /** Number of other rows. */
  readonly omitted: number
  readonly names: Names
}

/** All executed transactions that called one function of one address. */
export interface GasRow {
  /** E.g. `Token.transfer`; the selector if unknown. */
  readonly label: string
  /** `null` for creations and for transfers to anybody. */
  readonly to: Hex | null
  readonly calls: number
  readonly reverted: number
  readonly gasUsed: number
  /** Gas of the cheapest and of the dearest one. */
  readonly least: number
  readonly most: number
}
