/* Accounts, as the API answers them: see api.ts. */
import type { TokenUnit } from '../../primitives/amounts.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { Wei } from './valueTypes.ts'

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

export interface Holding {
  readonly token: Hex
  /** Of ERC-1155; `null` for other tokens. */
  readonly id: string | null
  readonly unit: TokenUnit
  /** In the smallest unit. */
  readonly sealed: string
  readonly pending: string
}
