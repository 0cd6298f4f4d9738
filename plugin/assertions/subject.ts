import type { Hex } from '../../devnet/primitives/hex.ts'
import { isObject } from '../node-answers.ts'

/** A transaction as assertions take it: its hash, or what has one as `hash`, such as the answer of ethers' `sendTransaction`. */
export type TransactionLike = string | { readonly hash: string }

/** An account as assertions take it: its address, or what has one as `address` (viem) or `target` (ethers). */
export type AccountLike = string | { readonly address: string } | { readonly target: unknown }

/** @throws {TypeError} when `subject` is no {@link TransactionLike} */
export function hashOf(subject: unknown): Hex {
  const hash = isObject(subject) ? subject.hash : subject
  if (isHex(hash) && hash.length === 66) return lowerCase(hash)
  throw new TypeError(
    `A transaction is named by its hash, 0x and 64 hexadecimal digits, not by ${shown(subject)}.`,
  )
}

/** @throws {TypeError} when `subject` is no {@link AccountLike} */
export function addressOf(subject: unknown): Hex {
  const address = isObject(subject) ? (subject.address ?? subject.target) : subject
  if (isHex(address) && address.length === 42) return lowerCase(address)
  throw new TypeError(
    `An account is named by its address, 0x and 40 hexadecimal digits, not by ${shown(subject)}.`,
  )
}

export function isHex(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-fA-F]*$/.test(value)
}

export function lowerCase(hex: Hex): Hex {
  return `0x${hex.slice(2).toLowerCase()}`
}

/** A value in a message. */
export function shown(value: unknown): string {
  if (value instanceof Promise) return 'a promise: await it first'
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'bigint') return `${value}n`
  if (isObject(value)) return Array.isArray(value) ? 'an array' : 'an object'
  return String(value)
}
