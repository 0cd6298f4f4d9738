import type { Hex } from './primitives/hex.ts'

export interface ClockStatus {
  /** ms between two ticks, or between two seals. */
  readonly interval: number
  readonly running: boolean
  /** Virtual time of the next tick or seal, ms since the epoch; `null` while frozen. */
  readonly next: number | null
}

/** The chain that a forked one stands on, and what has been read of it. Plain JSON. */
export interface ForkStatus {
  /** Origin of the URL, or path of the recording; `null` if only a state file answers. */
  readonly origin: string | null
  readonly chainId: number
  readonly number: number
  readonly hash: Hex
  /** HTTP requests sent, repeated ones included. */
  readonly requests: number
  /** JSON-RPC requests in them. */
  readonly items: number
  /** Reads of values that were known. */
  readonly hits: number
  /** Values that were not known and had to be loaded. */
  readonly misses: number
  /** Number of loaded values that came from the disk cache. */
  readonly cached: number
  /** JSON-RPC requests that wait for an answer now. */
  readonly waiting: number
  /** HTTP requests that failed, or of whose items at least one got nothing that can be used. */
  readonly failed: number
  /** Reason why the last of them did, e.g. `HTTP 429`; `null` if none has failed. */
  readonly lastFailure: string | null
}
