/* Numbers over time and over the chain, as the API answers them: see api.ts. */
import type { Hex } from '../../primitives/hex.ts'

export interface TickNumbers {
  /** Wall time, ms since the epoch. */
  readonly time: number
  readonly transactions: number
  /** ms from acceptance to pre-confirmation: the median, and that of the slowest but 5 %. */
  readonly median: number
  readonly most: number
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
