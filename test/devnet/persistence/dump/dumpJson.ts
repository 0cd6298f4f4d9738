import type { Hex } from '../../../../devnet/primitives/hex.ts'

type Fields<Value = string> = Record<string, Value>

/** A dump as far as tests reach into it. */
export interface DumpJson {
  block?: Fields<unknown>
  accounts: Fields<{ nonce: number; balance: string; code: string; storage: Fields }>
  best_block_number?: number
  blocks?: BlockJson[]
  transactions?: TransactionJson[]
  historical_states?: [hash: Hex, state: object][] | null
  pending_node?: OwnJson
}

export interface BlockJson {
  header: Fields
  transactions: { transaction: Fields<unknown>; impersonated_sender: Hex | null }[]
  withdrawals?: object[] | null
  undo?: { accounts: Fields<object | null> }
  steps?: Fields<unknown>[]
  access_list?: string
  reserved?: { first: number; last: number; step: number }
}

export interface TransactionJson {
  info: Fields<unknown>
  receipt: { status: string; logs: { data: string }[]; logsBloom: string; [field: string]: unknown }
  block_hash: Hex
  block_number: number
}

interface OwnJson {
  format: number
  forks: { first: Fields }
  next: Fields<unknown>
  pending: { transactions: { raw: string }[]; steps?: Fields<unknown>[] }
}

/** What is at `index` of a list, or at a name of an object; it must be there. */
export function at<Value>(
  of: readonly Value[] | Fields<Value> | undefined,
  index: number | string,
): Value {
  const value = Array.isArray(of)
    ? of.at(Number(index))
    : Object.entries(of ?? {}).find(([name]) => name === String(index))?.[1]
  if (value === undefined) throw new Error(`There is nothing at ${index}`)
  return value
}
