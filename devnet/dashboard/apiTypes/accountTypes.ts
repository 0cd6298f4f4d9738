/* Accounts, as the API answers them: see api.ts. */
import type { TokenUnit } from '../../primitives/amounts.ts'
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

export interface HoldingsAnswer {
  /** Tokens that the account has in either state, the newest first, of 50 that it received. */
  readonly holdings: readonly Holding[]
  /** Number of further tokens that it received. */
  readonly omitted: number
  /** True if the node has not looked at all blocks yet; the next answer has looked further. */
  readonly isPartial: boolean
  readonly names: Names
}

export interface Holding {
  readonly token: Hex
  /** Of ERC-1155; `null` for other tokens. */
  readonly id: string | null
  readonly unit: TokenUnit
  /** In the smallest unit. */
  readonly sealed: string
  readonly pending: string
}
