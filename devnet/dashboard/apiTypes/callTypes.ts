/* What transactions called and did, as the API answers it: see api.ts. */
import type { DecodedArgument, DecodedCall } from '../../rpc/naming/types.ts'
import type { Hex, Names, Wei } from './valueTypes.ts'

/** A call or a creation in words. */
export interface CallText {
  /** In one line; `null` if neither contract nor function is known. */
  readonly text: string | null
  readonly decoded: DecodedCall | null
}

/** Bytes, of which at most 1,024 are shown. */
export interface Bytes {
  readonly shown: Hex
  /** Of all, in bytes. */
  readonly size: number
}

export interface Event {
  /** In the block. */
  readonly index: number
  readonly address: Hex
  /** Of the contract; `null` if it is unknown. */
  readonly contract: string | null
  /** Canonical signature; `null` if it is unknown. */
  readonly event: string | null
  /** `null` if unknown, or if the data does not fit: {@link problem} says why. */
  readonly arguments: readonly DecodedArgument[] | null
  readonly problem: string | null
  readonly topics: readonly Hex[]
  readonly data: Bytes
}

/**
 * The calls of an executed transaction, found out by executing it again. Refused with -32000 for
 * one that waits, or if the state before its block is not kept; -32005 if it is too large.
 */
export interface TraceAnswer {
  /** Callers before callees: the depth makes it a tree. */
  readonly frames: readonly Frame[]
  readonly omittedFrames: number
  /** Reason why it failed; `null` on success. */
  readonly failure: Failure | null
  /** Output of `console.log`, in order. */
  readonly console: readonly string[]
  readonly omittedConsole: number
  readonly changes: readonly AccountChange[]
  readonly omittedChanges: number
  readonly names: Names
}

export interface Frame {
  /** 0 for the transaction itself. */
  readonly depth: number
  /** As the opcode: CALL, STATICCALL, DELEGATECALL, CALLCODE, CREATE, CREATE2, SELFDESTRUCT. */
  readonly type: string
  readonly from: Hex
  /** `null` for a creation that failed. */
  readonly to: Hex | null
  /** `null` if the opcode carries none. */
  readonly value: Wei | null
  readonly gas: number
  readonly gasUsed: number
  readonly call: CallText
  readonly input: Bytes
  readonly output: Bytes
  /** The decoded output; `null` if it is unknown, empty, or that of a failure. */
  readonly returns: readonly DecodedArgument[] | null
  readonly failure: Failure | null
}

/** Reason why a call failed. */
export interface Failure {
  /** In the node's words, e.g. `execution reverted: not enough` or `out of gas`. */
  readonly message: string
  /** Custom error with its arguments, e.g. `TooMuch(wanted: 5, left: 0)`; `null` if unknown. */
  readonly error: string | null
  readonly arguments: readonly DecodedArgument[] | null
  readonly data: Bytes
}

export interface AccountChange {
  readonly address: Hex
  /** `null` where it did not change. */
  readonly balance: { readonly before: Wei; readonly after: Wei } | null
  readonly nonce: { readonly before: number; readonly after: number } | null
  /** Sizes in bytes. */
  readonly code: { readonly before: number; readonly after: number } | null
  /** Words of 32 bytes. */
  readonly storage: readonly { readonly slot: Hex; readonly before: Hex; readonly after: Hex }[]
  readonly omittedSlots: number
}
