/* The log, as the API answers it: see api.ts. */
import type { Hex } from '../../primitives/hex.ts'

/** An event since the node started; of a request that succeeded, only while a dashboard is open. */
export interface LogLine {
  /** Rises by one. */
  readonly id: number
  /** Wall time, ms since the epoch. */
  readonly time: number
  readonly kind: 'console' | 'failed' | 'request' | 'late' | 'save' | 'undo' | 'fault' | 'hint'
  readonly text: string
  /** The transaction, if the line is of one. */
  readonly transaction: Hex | null
  /** The contract, if there is one. */
  readonly address: Hex | null
  /** ms that a request took; `null` of other lines. */
  readonly elapsed: number | null
}
