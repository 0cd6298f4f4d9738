/* Contracts and calls of them, as the API takes and answers them: see api.ts. */

import type { Hex } from '../../primitives/hex.ts'
import type { DecodedArgument } from '../../rpc/naming/types.ts'
import type { Failure } from './callTypes.ts'

export interface ContractRow {
  readonly name: string
  /** With its source, e.g. `contracts/Token.sol:Token`. */
  readonly fullName: string
  /** Newest first, at most 100. */
  readonly addresses: readonly { readonly address: Hex; readonly block: number | null }[]
}

/** The contract at an address, behind a proxy too, or else the one with a full name. */
export type ContractParams = { readonly address: Hex } | { readonly fullName: string }

export interface ContractFunction {
  /** Canonical, e.g. `balanceOf(address)`. */
  readonly signature: string
  readonly inputs: readonly Parameter[]
  /** True if it only reads, so that `read` takes it. */
  readonly isRead: boolean
  readonly isPayable: boolean
}

export interface Parameter {
  readonly name: string
  /** Canonical, e.g. `uint256` or `(address,uint256)[]`. */
  readonly type: string
  /** Of a tuple, or of the tuples in an array; of a function with over 100 of them, none. */
  readonly components: readonly Parameter[]
}

export interface FunctionCall {
  /** Canonical signature. */
  readonly function: string
  /**
   * In the order of its parameters: text for elementary types (`0x…`, `12`, `1e18`, `0.5 ether`,
   * `true`), lists for arrays and tuples, nested at most 8 deep.
   */
  readonly args: readonly ReadArgument[]
}

export type ReadArgument = string | readonly ReadArgument[]

export interface BothResults {
  readonly sealed: ReadResult
  readonly pending: ReadResult
}

export type ReadResult =
  | { readonly values: readonly DecodedArgument[] }
  | { readonly failure: Failure }
  /** The call took too long among others, and was cancelled. */
  | { readonly isLate: true }

/** A transaction of any account: the node signs for its own, and impersonates others for it. */
export interface SendParams extends FunctionCall {
  readonly address: Hex
  readonly from: Hex
  /** In wei or with a unit, e.g. `0.5 ether`. Default: 0 */
  readonly value?: string
}
