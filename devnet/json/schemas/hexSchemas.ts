import type * as z from 'zod'
import type { Hex } from '../../primitives/hex.ts'
import { type Context, fail, nested, reader, want } from './reader.ts'

const PREFIX = /^0[xX]/
const DIGITS = /^0[xX][0-9a-fA-F]*$/
const SLOT_DIGITS = 64

/** 20 bytes in any letter case; read as lower case. A wrong checksum is no error. */
export function address(): z.ZodType<Hex> {
  return ADDRESS
}

/** 32 bytes; read as lower case. */
export function hash32(): z.ZodType<Hex> {
  return HASH
}

/** Bytes, any number or at most `limit`; read as given. */
export function data(limit?: number): z.ZodType<Hex> {
  return limit === undefined ? DATA : reader((value, context) => readData(value, context, limit))
}

/** A storage slot, or what is in one: up to 32 bytes, padded or as a quantity; read as 32 bytes in lower case. */
export function storageSlot(): z.ZodType<Hex> {
  return SLOT
}

/** A storage slot of `eth_getProof`. */
export interface StorageKey {
  /** 32 bytes in lower case. */
  readonly slot: Hex
  /** As the answer repeats it: 32 bytes as they are, anything shorter as a quantity (geth). */
  readonly shown: Hex
}

/** A storage slot whose form the answer keeps. */
export function storageKey(): z.ZodType<StorageKey> {
  return KEY
}

const ADDRESS = reader((value, context) => readFixed(value, context, 40, 'an address'))
const HASH = reader((value, context) => readFixed(value, context, 64, 'a hash'))
const DATA = reader((value, context) => readData(value, context, Number.POSITIVE_INFINITY))
const SLOT = reader(readSlot)
const KEY = reader((value, context): StorageKey => {
  const slot = readSlot(value, context)
  // Refused, or so long that it can be nothing but 32 bytes.
  const asItIs = context.issues.length > 0 || String(value).length > SLOT_DIGITS
  return { slot, shown: asItIs ? slot : `0x${BigInt(slot).toString(16)}` }
})

function readFixed(value: unknown, context: Context, digits: number, what: string): Hex {
  if (typeof value !== 'string') return fail(context, want(what, value))
  if (PREFIX.test(value) && value.length !== digits + 2) {
    return fail(context, `hex string has length ${value.length - 2}, want ${digits} for ${what}`)
  }
  if (!DIGITS.test(value)) return fail(context, hexProblem(value))
  // Only hexadecimal digits follow the prefix.
  return value.toLowerCase() as Hex
}

function readData(value: unknown, context: Context, limit: number): Hex {
  if (typeof value !== 'string') return fail(context, want('hex data', value))
  if (!DIGITS.test(value)) return fail(context, hexProblem(value))
  if (value.length % 2 !== 0) return fail(context, 'hex string of odd length')
  const bytes = value.length / 2 - 1
  if (bytes > limit) return fail(context, `data has ${bytes} bytes, want at most ${limit}`)
  // Only hexadecimal digits follow the prefix; the usual prefix costs no copy of the text.
  return value.startsWith('0x') ? (value as Hex) : `0x${value.slice(2)}`
}

function readSlot(value: unknown, context: Context): Hex {
  if (typeof value !== 'string') return fail(context, want('a storage slot', value))
  if (!DIGITS.test(value)) return fail(context, hexProblem(value))
  const digits = value.length - 2
  if (digits === 0) return fail(context, 'hex string "0x"')
  if (digits > SLOT_DIGITS) {
    return fail(
      context,
      `hex string has length ${digits}, want at most ${SLOT_DIGITS} for a storage slot`,
    )
  }
  return `0x${value.slice(2).toLowerCase().padStart(SLOT_DIGITS, '0')}`
}

/** What is wrong with text that is not hexadecimal, in geth's words. */
export function hexProblem(text: string): string {
  return PREFIX.test(text) ? 'invalid hex string' : 'hex string without 0x prefix'
}

/**
 * Code that an account may be given. Not what begins as a delegation (EIP-7702) and is none: no chain can have it, as no other code
 * may begin so (EIP-3541), and the library cannot call it. EDR, too, takes no such code.
 */
export function accountCode(): z.ZodType<Hex> {
  return ACCOUNT_CODE
}

/** 0x, and 23 bytes. */
const DELEGATION_LENGTH = 2 + 2 * 23

const ACCOUNT_CODE = reader<Hex>((value, context) => {
  const code = nested(data(), value, context)
  if (context.issues.length > 0 || !/^0xef01/i.test(code)) return code
  if (code.length !== DELEGATION_LENGTH) {
    const size = code.length / 2 - 1
    return fail(context, `code that begins as a delegation (EIP-7702) has 23 bytes, got ${size}`)
  }
  if (!/^0xef0100/i.test(code)) {
    return fail(context, 'a delegation (EIP-7702) is 0xef0100 and an address')
  }
  return code
})
