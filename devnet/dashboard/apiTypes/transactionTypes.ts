/* Transactions in all states, as the API answers them: see api.ts. */

import type { Hex } from '../../primitives/hex.ts'
import type { Bytes, CallText, Event } from './callTypes.ts'
import type { Names, Wei } from './valueTypes.ts'

export interface Counts {
  /** Position of the oldest executed transaction that is kept; 0 unless blocks were dropped. */
  readonly first: number
  /** Position after that of the newest one, which is the last pre-confirmed one. */
  readonly end: number
  readonly waiting: number
  readonly dropped: number
}

/** All that are given must fit. */
export interface TransactionFilter {
  readonly state?: TransactionState | undefined
  readonly reverted?: boolean | undefined
  /** Terms as typed, e.g. `from:"Account #9" function:withdraw block:20..30 status:reverted`. */
  readonly text?: string | undefined
}

export type TransactionState = 'queued' | 'preconfirmed' | 'sealed' | 'dropped'

interface RowFields {
  readonly hash: Hex
  readonly from: Hex
  /** `null` for a creation. */
  readonly to: Hex | null
  readonly nonce: number
  /** The callee, e.g. `Token.transfer(to: 0x7099…79c8, amount: 5)`; `null` if unknown. */
  readonly call: string | null
  /** True unless its input is empty. */
  readonly hasData: boolean
  readonly value: Wei
  readonly gasLimit: number
}

/** A pre-confirmed or sealed transaction. */
export interface ExecutedRow extends RowFields {
  readonly state: 'preconfirmed' | 'sealed'
  /** Among all executed transactions of the chain, from 0. */
  readonly position: number
  readonly block: number
  /** Of the block, s since the epoch. */
  readonly timestamp: number
  readonly tick: number
  /** Index in its block. */
  readonly index: number
  /** The contract that it creates, even if it failed. */
  readonly created: Hex | null
  readonly gasUsed: number
  readonly reverted: boolean
  /**
   * Reason of a revert in one line, e.g. `InsufficientShares(wanted: 5, has: 3)`; `null` if there
   * is none, or it is not known: of transactions of an earlier run, and of another node.
   */
  readonly reason: string | null
}

export interface WaitingRow extends RowFields {
  readonly state: 'queued'
  /** True if the next tick can take it; if not, it is behind a nonce gap. */
  readonly runnable: boolean
  /** Wall time in ms since the epoch; `null` if another process accepted it. */
  readonly accepted: number | null
  /** The gas price of types 0 and 1. */
  readonly maxFeePerGas: Wei
}

/** A transaction that can no longer be executed. */
export interface DroppedRow {
  readonly state: 'dropped'
  readonly hash: Hex
  /** `null` if the node does not have it any more. */
  readonly from: Hex | null
  readonly nonce: number | null
  readonly reason: string
}

export type TransactionAnswer = TransactionDetails | NotFound

/** Places where the node has looked for a transaction or block in vain. */
export interface NotFound {
  readonly found: false
  readonly waiting: number
  /** Number of the pending block. */
  readonly pending: number
  /** Sealed blocks: oldest and newest. */
  readonly oldest: number
  readonly latest: number
  readonly dropped: string | null
  /** Number or hash to ask the upstream of a forked chain for; `null` if it cannot have it. */
  readonly upstream: number | Hex | null
  /** Of a transaction that was dropped a while ago at most. Absent for a block. */
  readonly gone?: Gone | null
}

/** A transaction that was dropped. */
export interface Gone {
  readonly transaction: TransactionDetails
  /** Wall time, ms since the epoch. */
  readonly time: number | null
  readonly replacedBy: Hex | null
  /** Nonce that its sender would have to use next. */
  readonly nextNonce: number
}

export interface TransactionDetails {
  readonly found: true
  readonly state: Exclude<TransactionState, 'dropped'>
  readonly hash: Hex
  readonly type: number
  readonly from: Hex
  readonly to: Hex | null
  readonly nonce: number
  readonly value: Wei
  readonly gasLimit: number
  /** wei; the gas price of types 0 and 1. */
  readonly maxFeePerGas: Wei
  readonly maxPriorityFeePerGas: Wei
  /** True if the sender did not sign it. */
  readonly impersonated: boolean
  readonly call: CallText
  readonly input: Bytes
  /** Of type 3; otherwise `null`. */
  readonly blobs: Blobs | null
  /** Of type 4, at most 100; otherwise empty. */
  readonly authorizations: readonly Authorization[]
  readonly omittedAuthorizations: number
  /** Of a deposit of the OP Stack, whose fee L1 was paid; otherwise `null`. */
  readonly deposit: { readonly sourceHash: Hex; readonly mint: Wei } | null
  /** `null` while it waits. */
  readonly place: TransactionPlace | null
  readonly times: TransactionTimes
  /** `null` once it is executed. */
  readonly waiting: Waiting | null
  /** `null` while it waits. */
  readonly outcome: Outcome | null
  /** In the block, of an executed one. `null` if there is none. */
  readonly inBlock: Neighbours
  /** By the sender's nonce, as far as they are known. */
  readonly ofSender: Neighbours
  readonly names: Names
}

export interface Blobs {
  /** Versioned hashes. */
  readonly hashes: readonly Hex[]
  readonly gas: number
  readonly maxFeePerGas: Wei
  /** `null` while it waits. */
  readonly gasPrice: Wei | null
  readonly fee: Wei | null
}

/** An authorization of EIP-7702. */
export interface Authorization {
  /** Account that signed it; `null` if the signature belongs to none. */
  readonly authority: Hex | null
  /** `null` if it ends a delegation. */
  readonly delegate: Hex | null
  /** `0`: any chain. */
  readonly chainId: string
  readonly nonce: string
  /** Reason why it cannot apply, whatever its nonce; `null` if there is none. */
  readonly problem: string | null
}

export interface TransactionPlace {
  readonly position: number
  readonly block: number
  /** `null` while the block is pending. */
  readonly blockHash: Hex | null
  /** s since the epoch. */
  readonly timestamp: number
  readonly tick: number
  readonly index: number
}

/**
 * Wall times of this node in ms since the epoch; `null` if it is not so far, or if it was not this
 * process that did it.
 */
export interface TransactionTimes {
  readonly accepted: number | null
  /** The first time that a pending block showed it. */
  readonly preconfirmed: number | null
  readonly sealed: number | null
}

/** Reason why a transaction is not executed yet. */
export interface Waiting {
  /** True if the next tick can take it. */
  readonly runnable: boolean
  /** The nonces that are missing before it, first and last; `null` if none is. */
  readonly missing: { readonly from: number; readonly to: number } | null
}

export interface Outcome {
  readonly success: boolean
  readonly gasUsed: number
  readonly effectiveGasPrice: Wei
  /** All gas at that price. */
  readonly fee: Wei
  readonly baseFeePerGas: Wei
  readonly created: Hex | null
  readonly events: readonly Event[]
  /** Number of further events. */
  readonly omittedEvents: number
}

export interface Neighbours {
  readonly previous: Hex | null
  readonly next: Hex | null
}

export interface MempoolSender {
  readonly address: Hex
  /** Nonce of the next transaction to execute, after those that are pre-confirmed. */
  readonly next: number
  /** Number of its transactions that wait. */
  readonly count: number
  /** In order of nonce, as far as the limit of the answer goes. */
  readonly transactions: readonly WaitingRow[]
  /** Nonces that are missing, first and last of each gap: the first 100 gaps. */
  readonly gaps: readonly { readonly from: number; readonly to: number }[]
}
