import { sameBytes } from '../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from './codes.ts'
import type { AccountRecord } from './types.ts'

/** The record of an account without nonce, balance and code. */
export const EMPTY_ACCOUNT: AccountRecord = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH }

/** wei. */
export const MAX_BALANCE = 2n ** 256n - 1n

/**
 * A balance with `wei` more. It stops at {@link MAX_BALANCE}, which only cheats can come near to:
 * no client defines a sum beyond it, and no trie can hold one.
 */
export function increased(balance: bigint, wei: bigint): bigint {
  const sum = balance + wei
  return sum > MAX_BALANCE ? MAX_BALANCE : sum
}

/** True if the account is empty as EIP-161 defines it: storage does not count. */
export function isEmptyAccount({ nonce, balance, codeHash }: AccountRecord): boolean {
  return nonce === 0n && balance === 0n && codeHash === EMPTY_CODE_HASH
}

export function sameRecord(a: AccountRecord | null, b: AccountRecord | null): boolean {
  if (a === b) return true
  if (a === null || b === null) return false
  return a.nonce === b.nonce && a.balance === b.balance && sameBytes(a.codeHash, b.codeHash)
}
