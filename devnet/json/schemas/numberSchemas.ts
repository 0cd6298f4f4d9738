import * as z from 'zod'
import { hexProblem } from './hexSchemas.ts'
import { type Context, fail, reader, want, wanted } from './reader.ts'

const QUANTITY = /^0[xX]0*([0-9a-fA-F]*)$/

/** A hexadecimal number up to 256 bits; leading zeros are accepted, as reth and anvil do. */
export function quantity(): z.ZodType<bigint> {
  return BITS_256
}

/** A hexadecimal number up to 64 bits. */
export function quantity64(): z.ZodType<bigint> {
  return BITS_64
}

/** A hexadecimal number up to 256 bits or a JSON integer, for methods in which Hardhat takes either. */
export function quantityOrNumber(): z.ZodType<bigint> {
  return EITHER
}

/** A hexadecimal number up to 64 bits or a JSON integer, for methods in which Hardhat takes either. */
export function quantity64OrNumber(): z.ZodType<bigint> {
  return EITHER_64
}

const BITS_256 = reader((value, context) => readQuantity(value, context, 256))
const BITS_64 = reader((value, context) => readQuantity(value, context, 64))
const EITHER = reader((value, context) => readEither(value, context, 256))
const EITHER_64 = reader((value, context) => readEither(value, context, 64))

/** Reads a quantity of at most `bits` bits, a multiple of 4. */
export function readQuantity(value: unknown, context: Context, bits: number): bigint {
  if (typeof value !== 'string') return fail(context, want('a hex number', value))
  const digits = QUANTITY.exec(value)?.[1]
  if (digits === undefined) {
    return fail(context, value === '' ? 'empty hex string' : hexProblem(value))
  }
  if (value.length === 2) return fail(context, 'hex string "0x"')
  if (digits.length > bits / 4) return fail(context, `hex number > ${bits} bits`)
  return BigInt(value)
}

function readEither(value: unknown, context: Context, bits: number): bigint {
  if (typeof value !== 'number') return readQuantity(value, context, bits)
  if (Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  return fail(context, `want an integer from 0 to ${Number.MAX_SAFE_INTEGER}, got ${value}`)
}

/** true or false. */
export function flag(): z.ZodType<boolean> {
  return FLAG
}

/** Any text. */
export function text(): z.ZodType<string> {
  return TEXT
}

const FLAG = z.boolean(wanted('true or false'))
const TEXT = z.string(wanted('a string'))
