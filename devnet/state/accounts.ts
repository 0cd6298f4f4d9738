import type { AccountRecord } from './types.ts'

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) {
    if (a[index] !== b[index]) return false
  }
  return true
}

export function sameRecord(a: AccountRecord | null, b: AccountRecord | null): boolean {
  if (a === b) return true
  if (a === null || b === null) return false
  return a.nonce === b.nonce && a.balance === b.balance && sameBytes(a.codeHash, b.codeHash)
}
