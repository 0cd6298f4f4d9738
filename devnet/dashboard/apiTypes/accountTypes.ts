/* Accounts and contracts, as the API answers them: see api.ts. */
import type { DecodedArgument } from '../../rpc/naming/types.ts'
import type { Failure } from './callTypes.ts'
import type { ExecutedRow, WaitingRow } from './transactionTypes.ts'
import type { Hex, Names, Wei } from './valueTypes.ts'

export interface AccountsAnswer {
  /** Dev accounts in their order, impersonated ones, contracts newest first: at most 500. */
  readonly accounts: readonly AccountRow[]
  /** Number of those not listed; a contract that was created twice counts twice. */
  readonly omitted: number
  readonly names: Names
}

export interface AccountRow {
  readonly address: Hex
  readonly kind: 'dev' | 'impersonated' | 'contract'
  readonly sealed: AccountState
  readonly pending: AccountState
}

export interface AccountState {
  readonly balance: Wei
  readonly nonce: number
}

export interface AddressParams {
  readonly address: Hex
  /** Only transactions before this position. Default: the newest */
  readonly before?: number
}

export interface AddressAnswer {
  readonly address: Hex
  readonly kind: 'dev' | 'impersonated' | 'contract' | 'precompile' | 'other'
  readonly sealed: AccountState & { readonly codeSize: number }
  readonly pending: AccountState & { readonly codeSize: number }
  /** Full name of the contract in `contracts`; `null` if it is unknown or none. */
  readonly contract: string | null
  /** Address of the code that it runs: delegate (EIP-7702), clone or proxy; `null` if its own. */
  readonly implementation: Hex | null
  /** Its direct creator, and the transaction of that; `null` if unknown. */
  readonly creation: { readonly hash: Hex; readonly creator: Hex } | null
  /** Newest first, at most 50, calls inside of transactions included. */
  readonly rows: readonly ExecutedRow[]
  /** `before` of the next page; `null` if there is nothing older. */
  readonly next: number | null
  /**
   * Newest block that was looked at for `rows` and `creation`, from the oldest on; `null` once all
   * were. The next answer has looked further. Blocks of another node are executed again for it.
   */
  readonly searchedTo: number | null
  /** Waiting transactions from or to it, at most 20; only without `before`. */
  readonly waiting: readonly WaitingRow[]
  /** Number of others that wait. */
  readonly omittedWaiting: number
  readonly names: Names
}

export interface ContractsAnswer {
  /** `null` if the node was given no contracts. */
  readonly folder: string | null
  /** Those with addresses first. */
  readonly contracts: readonly ContractRow[]
  readonly omitted: number
}

export interface ContractRow {
  readonly name: string
  /** With its source, e.g. `contracts/Token.sol:Token`. */
  readonly fullName: string
  /** Newest first, at most 100. */
  readonly addresses: readonly { readonly address: Hex; readonly block: number | null }[]
  readonly functions: readonly ContractFunction[]
  /** Canonical signatures with names, e.g. `Transfer(address from, address to, uint256 value)`. */
  readonly events: readonly string[]
  readonly errors: readonly string[]
}

export interface ContractFunction {
  /** Canonical, e.g. `balanceOf(address)`. */
  readonly signature: string
  readonly selector: Hex
  readonly inputs: readonly { readonly name: string; readonly type: string }[]
  readonly outputs: readonly { readonly name: string; readonly type: string }[]
  /** True if it only reads, so that `read` takes it. */
  readonly isRead: boolean
  readonly isPayable: boolean
}

export interface ReadParams {
  readonly address: Hex
  /** Canonical signature of a function that only reads. */
  readonly function: string
  /**
   * In the order of its parameters: text for elementary types (`0x…`, decimal, `true`), lists for
   * arrays and tuples.
   */
  readonly args: readonly ReadArgument[]
}

export type ReadArgument = string | readonly ReadArgument[]

export interface ReadAnswer {
  readonly sealed: ReadResult
  readonly pending: ReadResult
  readonly names: Names
}

export type ReadResult =
  | { readonly values: readonly DecodedArgument[] }
  | { readonly failure: Failure }
