import type { ClockFaceParameters } from './clockFace.ts'

/** What the two clocks are made with. */
export interface ClocksParameters extends ClockFaceParameters {
  /** ms after which a tick of the wall clock begins no further transaction. */
  readonly tickBudget: number
  readonly allowBlocksWithSameTimestamp: boolean
  /** s; given where virtual time has to start there, and again after a reset. Default: it follows the wall clock. */
  readonly timestamp: number | undefined
}
