import { InvalidParamsError, shorten, tooManyArguments } from '../primitives/errors.ts'
import type { Hex } from '../primitives/hex.ts'
import {
  at,
  fail,
  flag,
  nullish,
  type Output,
  pathText,
  type ReadContext,
  ReadError,
  type Reader,
  readWith,
  refuse,
} from '../primitives/reader.ts'
import type { BlockNumberReference, BlockReference } from '../protocol/blockReference.ts'

/** See {@link ReadContext}; false by default. */
type ReadOptions = Partial<Omit<ReadContext, 'path'>>

/** Checks and reads the positional parameters of a method. */
export interface ParamsSchema<Params> {
  /**
   * Returns one value for each known parameter.
   *
   * @throws {InvalidParamsError}
   */
  read(args: readonly unknown[], options?: ReadOptions): readonly unknown[]
  /** Reads one of the parameters, whatever the others are. @throws {InvalidParamsError} */
  readOne(args: readonly unknown[], index: number, options?: ReadOptions): unknown
  /** The reader of each parameter. */
  readonly readers: readonly Reader<unknown>[]
  /** Index of the parameter with one of the schemas of blocks; -1 if there is none. */
  readonly blockAt: number
  /** True if the values name the block `pending`. */
  namesPending(values: readonly unknown[]): boolean
  /** The values with the block `pending` in place of `latest`, or of none, which they may name. */
  withPending(values: readonly unknown[]): readonly unknown[]
  /**
   * Never set. Makes the type contravariant in `Params`, so that a table of `RpcMethod<never>` can
   * hold all methods.
   */
  readonly accepts?: ((params: Params) => void) | undefined
}

export interface PositionalParams<Params extends readonly unknown[]> extends ParamsSchema<Params> {
  read(args: readonly unknown[], options?: ReadOptions): Params
}

/** Outputs of the readers, in their order. */
export type Outputs<Items extends readonly Reader<unknown>[]> = {
  -readonly [Index in keyof Items]: Output<Items[Index]>
}

/**
 * Positional parameters, each with a reader. Those that are {@link optional} come last, and may be
 * absent or `null`. Too many parameters are refused.
 *
 * @example
 * params(address(), optional(blockReference())).read(['0xAa…']) // ['0xaa…', undefined]
 */
export function params<const Items extends readonly Reader<unknown>[]>(
  ...items: Items
): PositionalParams<Outputs<Items>> {
  const isOptional = items.map((item) => 'inner' in item)
  const blockAt = items.findIndex((item) => BLOCKS.has('inner' in item ? item.inner : item))
  function readAt(args: readonly unknown[], index: number, context: ReadContext): unknown {
    const value = args[index] === null && isOptional[index] ? undefined : args[index]
    try {
      return items[index]?.(value, context)
    } catch (error) {
      if (!(error instanceof ReadError)) throw error
      const isMissing = value === undefined || value === null
      throw new InvalidParamsError(
        isMissing
          ? `missing value for required argument ${index}`
          : `invalid argument ${index}: ${described(error)}`,
      )
    }
  }
  return {
    readers: items,
    blockAt,
    namesPending: (values) => blockAt !== -1 && values[blockAt] === PENDING,
    withPending(values) {
      const block = values[blockAt]
      return block === undefined || block === LATEST ? values.with(blockAt, PENDING) : values
    },
    readOne(args, index, options) {
      return readAt(args, index, { path: [], takesDecimals: false, ...options })
    },
    read(args, options) {
      if (args.length > items.length) throw tooManyArguments(items.length)
      const context = { path: [], takesDecimals: false, ...options }
      // Each value was read by the reader at the same index.
      return items.map((_, index) => readAt(args, index, context)) as Outputs<Items>
    },
  }
}

/** Reads a value that is not a parameter. @throws {InvalidParamsError} with the place in it */
export function readValue<T>(read: Reader<T>, value: unknown): T {
  return readWith(read, value, (error) => new InvalidParamsError(described(error)))
}

/** One short sentence: the place, then the problem. */
function described({ path, message }: ReadError): string {
  return path.length === 0 ? message : `${pathText(path)}: ${message}`
}

const DECIMAL = /^[0-9]+$/

/** The value, or its hexadecimal form if it is a decimal quantity and these are taken. */
function withoutDecimals(value: unknown, { takesDecimals }: ReadContext): unknown {
  if (!takesDecimals) return value
  const isDecimal = typeof value === 'string' && value.length <= 78 && DECIMAL.test(value)
  const isInteger = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
  return isDecimal || isInteger ? `0x${BigInt(value).toString(16)}` : value
}

const SOME_DIGITS = /^0[xX][0-9a-fA-F]+$/
const QUANTITY = /^0[xX]0*([0-9a-fA-F]*)$/

/** A hexadecimal number up to 256 bits; leading zeros are accepted, as in reth and anvil. */
export const quantity = (): Reader<bigint> => BITS_256

/** A hexadecimal number up to 64 bits. */
export const quantity64 = (): Reader<bigint> => BITS_64

/** A hexadecimal number up to 256 bits, or a JSON integer where Hardhat accepts one. */
export const quantityOrNumber = (): Reader<bigint> => EITHER

/** A hexadecimal number up to 64 bits, or a JSON integer where Hardhat accepts one. */
export const quantity64OrNumber = (): Reader<bigint> => EITHER_64

const BITS_256: Reader<bigint> = (value, context) => readQuantity(value, context, 256)
const BITS_64: Reader<bigint> = (value, context) => readQuantity(value, context, 64)
const EITHER: Reader<bigint> = (value, context) => readEither(value, context, 256)
const EITHER_64: Reader<bigint> = (value, context) => readEither(value, context, 64)

/** Reads a quantity of at most `bits` bits, a multiple of 4. */
export function readQuantity(given: unknown, context: ReadContext, bits: number): bigint {
  const value = withoutDecimals(given, context)
  if (typeof value !== 'string') return refuse(context, value, 'a hex number')
  if (value.length - 2 <= bits / 4 && SOME_DIGITS.test(value)) return BigInt(value)
  const digits = QUANTITY.exec(value)?.[1]
  if (digits === undefined) {
    return fail(context, value === '' ? 'empty hex string' : hexProblem(value))
  }
  if (value.length === 2) return context.takesEmpty ? 0n : fail(context, 'hex string "0x"')
  if (digits.length > bits / 4) return fail(context, `hex number > ${bits} bits`)
  return BigInt(value)
}

function readEither(value: unknown, context: ReadContext, bits: number): bigint {
  if (typeof value !== 'number') return readQuantity(value, context, bits)
  if (Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  return fail(context, `want an integer from 0 to ${Number.MAX_SAFE_INTEGER}, got ${value}`)
}

const PREFIX = /^0[xX]/
const DIGITS = /^0[xX][0-9a-fA-F]*$/
const SLOT_DIGITS = 64
const WHOLE_SLOT = /^0x[0-9a-f]{64}$/

/** 20 bytes in any letter case; read as lower case. Checksums are not checked. */
export const address = (): Reader<Hex> => ADDRESS

/** 32 bytes; read as lower case. */
export const hash32 = (): Reader<Hex> => HASH

/** Hexadecimal data of at most `limit` bytes (default: no limit); letter case is kept. */
export function data(limit?: number): Reader<Hex> {
  return limit === undefined ? DATA : (value, context) => readData(value, context, limit)
}

/**
 * A storage slot or its value: up to 32 bytes, padded or as a quantity; read as 32 bytes in lower
 * case.
 */
export const storageSlot = (): Reader<Hex> => readSlot

/**
 * Like {@link storageSlot}, but `0x` is slot 0, and the prefix may be missing, as on hardhat node.
 */
export const storageSlotText = (): Reader<Hex> => SLOT_TEXT

/** A storage slot of `eth_getProof`. */
export interface StorageKey {
  /** 32 bytes in lower case. */
  readonly slot: Hex
  /** The slot as shown in the answer: in full if the client sent 32 bytes, else as a quantity. */
  readonly shown: Hex
}

/** A storage slot, with the form in which the answer shows it (as in geth). */
export const storageKey = (): Reader<StorageKey> => KEY

const ADDRESS: Reader<Hex> = (value, context) => readFixed(value, context, 40, 'an address')
const HASH: Reader<Hex> = (value, context) => readFixed(value, context, 64, 'a hash')
const DATA: Reader<Hex> = (value, context) => readData(value, context, Number.POSITIVE_INFINITY)
const SLOT_TEXT: Reader<Hex> = (given, context) => {
  const value = withoutDecimals(given, context)
  if (value === '0x') return readSlot('0x0', context)
  const isBare = typeof value === 'string' && /^[0-9a-fA-F]+$/.test(value)
  return readSlot(isBare ? `0x${value}` : value, context)
}
const KEY: Reader<StorageKey> = (value, context) => {
  const slot = readSlot(value, context)
  // More than 62 digits count as 32 bytes.
  const asItIs = typeof value === 'string' && value.length > SLOT_DIGITS
  return { slot, shown: asItIs ? slot : `0x${BigInt(slot).toString(16)}` }
}

function readFixed(value: unknown, context: ReadContext, digits: number, what: string): Hex {
  if (typeof value !== 'string') return refuse(context, value, what)
  if (value.length !== digits + 2 && PREFIX.test(value)) {
    return fail(context, `hex string has length ${value.length - 2}, want ${digits} for ${what}`)
  }
  if (!DIGITS.test(value)) return fail(context, hexProblem(value))
  // Only hexadecimal digits follow the prefix.
  return value.toLowerCase() as Hex
}

function readData(value: unknown, context: ReadContext, limit: number): Hex {
  if (typeof value !== 'string') return refuse(context, value, 'hex data')
  if (!DIGITS.test(value)) return fail(context, hexProblem(value))
  if (value.length % 2 !== 0) return fail(context, 'hex string of odd length')
  const bytes = value.length / 2 - 1
  if (bytes > limit) return fail(context, `data has ${bytes} bytes, want at most ${limit}`)
  // Only hexadecimal digits follow the prefix. With the usual prefix the text is not copied.
  return value.startsWith('0x') ? (value as Hex) : `0x${value.slice(2)}`
}

function readSlot(given: unknown, context: ReadContext): Hex {
  // Most are whole: these take a third of the time.
  if (typeof given === 'string' && WHOLE_SLOT.test(given)) return given as Hex
  const value = withoutDecimals(given, context)
  if (typeof value !== 'string') return refuse(context, value, 'a storage slot')
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

/** The problem with text that is not hexadecimal, in geth's words. */
function hexProblem(text: string): string {
  return PREFIX.test(text) ? 'invalid hex string' : 'hex string without 0x prefix'
}

/**
 * Code for an account. Refuses a malformed delegation (EIP-7702), as EDR does: no chain can have
 * one, because other code must not begin with 0xef (EIP-3541), and the library cannot call it.
 */
export const accountCode = (): Reader<Hex> => ACCOUNT_CODE

/** Characters of a delegation in hexadecimal: `0x` and 23 bytes. */
const DELEGATION_LENGTH = 2 + 2 * 23

const ACCOUNT_CODE: Reader<Hex> = (value, context) => {
  const code = DATA(value, context)
  if (!/^0xef01/i.test(code)) return code
  if (code.length !== DELEGATION_LENGTH) {
    const size = code.length / 2 - 1
    return fail(context, `code that begins as a delegation (EIP-7702) has 23 bytes, got ${size}`)
  }
  if (!/^0xef0100/i.test(code)) {
    return fail(context, 'a delegation (EIP-7702) is 0xef0100 and an address')
  }
  return code
}

const HASH_LENGTH = 66

// The references are frozen, because all requests share them.
const TAGS: ReadonlyMap<unknown, BlockNumberReference> = new Map(
  (['latest', 'pending', 'safe', 'finalized', 'earliest'] as const).map((tag) => [
    tag,
    Object.freeze({ tag }),
  ]),
)

/** The value that the tag `pending` is read as. */
const PENDING = TAGS.get('pending')

/** The value that the tag `latest` is read as. */
const LATEST = TAGS.get('latest')

/**
 * A block: a tag, a hexadecimal number of at most 64 bits, a hash, or an object
 * `{ blockNumber } | { blockHash, requireCanonical? }` (EIP-1898).
 */
export const blockReference = (): Reader<BlockReference> => REFERENCE

/** A block by tag or hexadecimal number, for methods that take no hash. */
export const blockNumberReference = (): Reader<BlockNumberReference> => readNumber

/** A block by its hash alone: 32 bytes, read in lower case. */
export const blockHash = (): Reader<Hex> => BLOCK_HASH

/** As {@link blockReference}, but a JSON integer is a number too, as Otterscan sends it. */
export const blockReferenceOrNumber = (): Reader<BlockReference> => LAX_REFERENCE

const REFERENCE: Reader<BlockReference> = (value, context) => {
  if (typeof value === 'object' && value !== null) return readObject(value, context)
  if (typeof value === 'string' && value.length === HASH_LENGTH) {
    return { hash: HASH(value, context), requireCanonical: false }
  }
  return readNumber(value, context)
}

const LAX_REFERENCE: Reader<BlockReference> = (value, context) =>
  typeof value === 'number' ? { number: EITHER_64(value, context) } : REFERENCE(value, context)

// Not `HASH`, so that a block can be told from another hash.
const BLOCK_HASH: Reader<Hex> = (value, context) => HASH(value, context)

const BLOCKS: ReadonlySet<unknown> = new Set([REFERENCE, LAX_REFERENCE, readNumber, BLOCK_HASH])

function readNumber(given: unknown, context: ReadContext): BlockNumberReference {
  const value = withoutDecimals(given, context)
  const tag = TAGS.get(value)
  if (tag !== undefined) return tag
  if (typeof value !== 'string') return refuse(context, value, 'a block tag or number')
  if (/^[a-zA-Z]/.test(value)) {
    const tags = [...TAGS.keys()].join(', ')
    return fail(context, `unknown block tag "${shorten(value, 20)}", want one of ${tags}`)
  }
  return { number: readQuantity(value, context, 64) }
}

function readObject(value: object, context: ReadContext): BlockReference {
  if (Array.isArray(value)) return refuse(context, value, 'a block')
  // Not checked yet: the fields may have any type.
  const { blockNumber, blockHash, requireCanonical } = value as Record<string, unknown>
  const hasNumber = blockNumber !== undefined && blockNumber !== null
  const hasHash = blockHash !== undefined && blockHash !== null
  if (hasNumber && hasHash) {
    return fail(context, 'cannot specify both blockHash and blockNumber, choose one or the other')
  }
  if (hasNumber) return at(context, 'blockNumber', readNumber, blockNumber)
  if (!hasHash) return fail(context, 'want blockNumber or blockHash')
  const hash = at(context, 'blockHash', HASH, blockHash)
  return {
    hash,
    requireCanonical: at(context, 'requireCanonical', nullish(flag()), requireCanonical) ?? false,
  }
}
