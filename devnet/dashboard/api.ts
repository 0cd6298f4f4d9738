/*
 * The dashboard's API: what its page asks over `/dashboard/api`, and what the node answers.
 * JSON-RPC 2.0 over POST with `Authorization: Bearer <token>`, or over a WebSocket whose first
 * message is `{"token":"…"}`. The params are one object, or a list of one. Each method says in its
 * file what it takes and answers; here and in `apiTypes/` are the types that several share.
 *
 * Hex is lower case. Amounts in wei are decimal text, gas and times are numbers. What contracts and
 * artifacts say is untrusted text of bounded length.
 */

import type { Hex } from '../primitives/hex.ts'
import type { ClockStatus, ForkStatus } from '../statusTypes.ts'
import type { StripGroup } from './apiTypes/blockTypes.ts'
import type { LogLine } from './apiTypes/logTypes.ts'
import type { Counts } from './apiTypes/transactionTypes.ts'
import type { Names } from './apiTypes/valueTypes.ts'

/** The answer of `preconf_status`, without lists, so that its size does not grow. */
export interface DashboardStatus {
  /** Virtual time, ms since the epoch. */
  readonly time: number
  readonly ticks: ClockStatus
  readonly sealing: ClockStatus
  /** True if each transaction is pre-confirmed and sealed at once. */
  readonly instant: boolean
  readonly latest: { readonly number: number; readonly hash: Hex; readonly timestamp: number }
  readonly pending: {
    readonly number: number
    /** s since the epoch. */
    readonly timestamp: number
    /** Number of ticks that the block has had. */
    readonly ticks: number
    readonly gasUsed: number
    readonly gasLimit: number
    readonly transactions: number
  }
  /** `runnable`: ready for the next tick; `waiting`: behind a nonce gap. */
  readonly mempool: { readonly runnable: number; readonly waiting: number }
  readonly fork?: ForkStatus
  /** The text of the node's `hint`; `null` if there was none. */
  readonly hint: string | null
  /** Number of requests that wait for a person on the mock wallet's approval page. */
  readonly walletRequests: number
}

export interface Snapshot {
  /** As of `evm_snapshot`. */
  readonly id: Hex
  /** Newest sealed block. */
  readonly block: number
  /** Pre-confirmed transactions. */
  readonly pending: number
  /** Transactions in the mempool. */
  readonly waiting: number
  /** Virtual time, ms since the epoch. */
  readonly time: number
}

export interface Match {
  readonly kind: 'block' | 'transaction' | 'address' | 'contract' | 'function' | 'event' | 'token'
  readonly text: string
  /** Below `/dashboard`, e.g. `/tx/0x…`. */
  readonly path: string
}

/** Commands of the page; besides, only `send` changes the node. */
export type Command =
  /** Freezes sealing, with `ticks` both clocks. */
  | { readonly name: 'freeze'; readonly ticks?: boolean }
  | { readonly name: 'resume' }
  | { readonly name: 'tick' }
  | { readonly name: 'advance'; readonly ticks: number }
  | { readonly name: 'advance'; readonly blocks: number }
  | { readonly name: 'seal' }
  /** Enters or leaves instant mode. */
  | { readonly name: 'instant'; readonly enabled: boolean }
  | { readonly name: 'snapshot' }
  | { readonly name: 'revert'; readonly id: Hex }
  | { readonly name: 'reset' }
  /** Drops a waiting or pre-confirmed transaction. */
  | { readonly name: 'drop'; readonly hash: Hex }

/**
 * Params of the notification `changed`, which the WebSocket pushes: at most 5 a second, and one at
 * once after a command. After a gap in the numbers the page asks for `state` and `strip` anew.
 */
export interface Changed {
  /** Rises by one. */
  readonly sequence: number
  readonly status: DashboardStatus
  /** New and changed groups, oldest first; they replace what overlaps with them. */
  readonly groups: readonly StripGroup[]
  /** Set if blocks or transactions were taken back since the last push. */
  readonly undo: {
    readonly command: 'drop' | 'rearrange' | 'revert' | 'rollback' | 'reorg' | 'reset' | 'load'
    /** Newest sealed block afterwards: what is newer is gone. */
    readonly latest: number
  } | null
  readonly counts: Counts
  readonly snapshots: readonly Snapshot[]
  /** New lines of the log, oldest first: at most 50 of requests that succeeded, and 50 others. */
  readonly lines: readonly LogLine[]
  /** Number of lines that came besides, which `log` answers. */
  readonly omittedLines: number
  /** Of contracts found since the last push. */
  readonly names: Names
}
