import type { FaultEvent, FaultRule } from '../faults/types.ts'
import type { Options } from '../options/options.ts'
import type { Hex } from '../primitives/hex.ts'

/** The outcome of one run. */
export interface RunOutcome {
  /** Holds what the test has thrown; `undefined` if it passed, or had no time to end. */
  readonly failure: { readonly cause: unknown; readonly isHang: boolean } | undefined
  /** True if the overall time was over before it ended. */
  readonly isCut: boolean
  /** True if the test has asked for the flashblock stream, which branches lack. */
  readonly wantsStream: boolean
  readonly log: readonly Occurrence[]
  /** Hash of all answers and notifications, as the app saw them; `undefined` if not known. */
  readonly seen: string | undefined
  readonly options: Pick<Options, 'tickInterval' | 'sealInterval'>
  /** Addresses of the node's accounts. */
  readonly accounts: readonly string[]
}

/** Rules of one run, in the order in which they fire. */
export type Schedule = readonly FaultRule[]

/** A transaction, as rules name it. */
export interface PlacedTransaction {
  readonly hash: Hex
  readonly from: Hex
  readonly nonce: number
}

/** Something that happened in a run, at which a fault can act. `tick` is as rules count it. */
export type Occurrence =
  | TickOccurrence
  | { readonly kind: 'seal'; readonly block: number; readonly transactions: PlacedTransaction[] }
  | {
      readonly kind: 'answer'
      readonly method: string
      readonly block: number
      readonly tick: number
    }
  | { readonly kind: 'fault'; readonly fault: FaultEvent }

interface TickOccurrence {
  readonly kind: 'tick'
  readonly block: number
  readonly tick: number
  readonly transactions: readonly PlacedTransaction[]
  /** The index that the message about it has in the flashblock stream. */
  readonly index: number
  readonly hasSockets: boolean
}
