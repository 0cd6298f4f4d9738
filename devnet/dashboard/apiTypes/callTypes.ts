/* What transactions called and did, as the API answers it: see api.ts. */
import type { TokenUnit } from '../../primitives/amounts.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { DecodedArgument, DecodedCall } from '../../rpc/naming/types.ts'
import type { Names, Wei } from './valueTypes.ts'

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
  /** In one line, e.g. `Transfer(from: Account #0, to: Vault, value: 5)`; `null` if unknown. */
  readonly text: string | null
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
  /** In order of the frames; those of frames that failed are undone, and not among them. */
  readonly events: readonly PlacedEvent[]
  readonly omittedEvents: number
  /** Reason why it failed; `null` on success. */
  readonly failure: Failure | null
  /** Index of the frame in which the failure began; `null` on success, or if it is left out. */
  readonly origin: number | null
  /**
   * Lines of Solidity that led to the failure, innermost first, at most 50. Frames without
   * artifacts, or that were compiled without source maps, have none.
   */
  readonly stack: readonly SourceLine[]
  /** Output of `console.log`, in order. */
  readonly console: readonly string[]
  readonly omittedConsole: number
  readonly changes: readonly AccountChange[]
  readonly omittedChanges: number
  readonly transfers: Transfers
  readonly names: Names
}

export interface PlacedEvent {
  /** Number of frames before it. */
  readonly before: number
  /** 1 if the transaction's own frame emitted it. */
  readonly depth: number
  readonly event: Event
}

/** A place in a source of the project. */
export interface SourceLine {
  /** `null` for a function outside of contracts. */
  readonly contract: string | null
  /** E.g. `withdraw`, `constructor` or `modifier onlyOwner`; `null` outside of functions. */
  readonly function: string | null
  /** As its compiler knows it, e.g. `contracts/Vault.sol`. */
  readonly file: string
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
  /** The line and its neighbours, at most six lines. */
  readonly lines: readonly { readonly number: number; readonly text: string }[]
  /** Link that opens the file in an editor on this machine; `null` if the file is not there. */
  readonly editor: string | null
}

/** Ether and tokens that a transaction moved. */
export interface Transfers {
  /** Ether first, then tokens in the order of their events; at most 200. */
  readonly moves: readonly (Asset & { readonly from: Hex; readonly to: Hex })[]
  readonly omittedMoves: number
  /** Sums of tokens by holder, with their sign; at most 200. */
  readonly held: readonly (Asset & { readonly holder: Hex })[]
  readonly omittedHeld: number
  /** Of the first 50 tokens. */
  readonly units: Readonly<Record<Hex, TokenUnit>>
}

interface Asset {
  /** `null`: ether. */
  readonly token: Hex | null
  /** Of ERC-721 and ERC-1155; otherwise `null`. */
  readonly id: string | null
  /** True for ERC-721, of which there is one of each id. */
  readonly isCollectible: boolean
  /** In the smallest unit. */
  readonly amount: string
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
  /** Gas of the frame itself, without that of the frames inside. */
  readonly ownGas: number
  readonly call: CallText
  readonly input: Bytes
  readonly output: Bytes
  /** The decoded output; `null` if it is unknown, empty, or that of a failure. */
  readonly returns: readonly DecodedArgument[] | null
  /** The same in one line. */
  readonly returned: string | null
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
  /** Account that it delegates to from now on (EIP-7702); `null` if that did not change. */
  readonly delegate: Hex | null
  /** Sizes in bytes. */
  readonly code: { readonly before: number; readonly after: number } | null
  /** Variables that changed, by the layout of the contract. */
  readonly variables: readonly Variable[]
  /** Slots that no layout names. */
  readonly storage: readonly SlotChange[]
  /** True if the contract is known, but not its layout. */
  readonly lacksLayout: boolean
  readonly omittedSlots: number
}

/** Words of 32 bytes. */
export interface SlotChange {
  readonly slot: Hex
  readonly before: Hex
  readonly after: Hex
}

/** A variable, or a part of one, e.g. `positions[Account #7].shares`. */
export interface Variable {
  readonly name: string
  /** The same with all digits of addresses. */
  readonly exact: string
  /** As in the source, e.g. `uint256`. */
  readonly type: string
  /** Decimal, `true` or `false`, hexadecimal, a string in quotes, or `(45 bytes)`. */
  readonly before: string
  readonly after: string
  readonly slot: Hex
}
