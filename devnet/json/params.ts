import * as z from 'zod'
import { InvalidParamsError, shorten, TooManyArgumentsError } from '../primitives/errors.ts'
import type { Hex } from '../primitives/hex.ts'
import type { BlockNumberReference, BlockReference } from '../protocol/blockReference.ts'

/** The part of zod's transform context that is used here. */
export type Context = z.core.ParsePayload

/** Returns what a value means, or calls {@link fail}. */
type Read<T> = (value: unknown, context: Context) => T

/**
 * The functions behind schemas. Most are called without zod, whose own way to them costs several
 * times as much, above all in the first hundred requests of a process.
 */
const reads = new WeakMap<z.ZodType, Read<unknown>>()

/** Shared by all readers: zod takes long to make a schema. */
const ANYTHING = z.unknown()

interface ReadOptions {
  readonly decimals?: boolean | undefined
}

/** Checks and reads the positional parameters of a method. */
export interface ParamsSchema<Params> {
  /**
   * Returns one value for each known parameter.
   *
   * @param options.decimals - whether quantities may be integers or decimal text. Default: false
   * @throws {InvalidParamsError}
   */
  read(args: readonly unknown[], options?: ReadOptions): readonly unknown[]
  /** Reads one of the parameters, whatever the others are. @throws {InvalidParamsError} */
  readOne(args: readonly unknown[], index: number, options?: ReadOptions): unknown
  /** Number of the parameters, the optional ones included. */
  readonly length: number
  /** Index of the parameter with one of the schemas of blocks; -1 if there is none. */
  readonly blockAt: number
  /** Whether the values name the block `pending`. */
  namesPending(values: readonly unknown[]): boolean
  /** The values with the block `pending` in place of `latest`, or of none, which they may name. */
  withPending(values: readonly unknown[]): readonly unknown[]
  /**
   * Never set. Makes the type contravariant in `Params`, so that a table of `RpcMethod<never>` can
   * hold all methods.
   */
  readonly accepts?: ((params: Params) => void) | undefined
}

/** Result of {@link params}. */
export interface PositionalParams<Params extends readonly unknown[]> extends ParamsSchema<Params> {
  read(args: readonly unknown[], options?: ReadOptions): Params
}

/** Output types of schemas, in their order. */
export type Outputs<Items extends readonly z.ZodType[]> = {
  -readonly [Index in keyof Items]: z.output<Items[Index]>
}

/**
 * Positional parameters, each with a schema. Optional ones come last, and may be absent or `null`.
 * Too many parameters are refused.
 *
 * @example
 * params(address(), blockReference().optional()).read(['0xAa…']) // ['0xaa…', undefined]
 */
export function params<const Items extends readonly z.ZodType[]>(
  ...items: Items
): PositionalParams<Outputs<Items>> {
  // Computed once: a parameter is optional if its schema accepts `undefined`.
  const readers = items.map(readerOf)
  const optional = readers.map((read) => {
    const context = newContext()
    read(undefined, context)
    return context.issues.length === 0
  })
  const blockAt = items.findIndex(isBlock)
  function readAt(args: readonly unknown[], index: number, context: Context): unknown {
    const value = args[index] === null && optional[index] ? undefined : args[index]
    const result = readers[index]?.(value, context)
    const [issue] = context.issues
    if (issue === undefined) return result
    if (value === undefined || value === null) {
      throw new InvalidParamsError(`missing value for required argument ${index}`)
    }
    throw new InvalidParamsError(`invalid argument ${index}: ${describeIssue(issue)}`)
  }
  return {
    length: items.length,
    blockAt,
    namesPending: (values) => blockAt !== -1 && values[blockAt] === PENDING,
    withPending(values) {
      const block = values[blockAt]
      return block === undefined || block === LATEST ? values.with(blockAt, PENDING) : values
    },
    readOne(args, index, { decimals = false } = {}) {
      takesDecimals = decimals
      return readAt(args, index, newContext())
    },
    read(args, { decimals = false } = {}) {
      if (args.length > items.length) throw new TooManyArgumentsError(items.length)
      takesDecimals = decimals
      const context = newContext()
      // Each value was read by the schema at the same index.
      return readers.map((_, index) => readAt(args, index, context)) as Outputs<Items>
    },
  }
}

/** Reads a value that is not a parameter. @throws {InvalidParamsError} with the place in it */
export function readValue<T>(schema: z.ZodType<T>, value: unknown): T {
  const context = newContext()
  const result = readerOf(schema)(value, context)
  const [issue] = context.issues
  if (issue !== undefined) throw new InvalidParamsError(describeIssue(issue))
  return result
}

function newContext(): Context {
  return { value: undefined, issues: [] }
}

/**
 * Whether the parameters being read may have decimal quantities, as on anvil. A variable, because
 * zod's readers have no context of their own; {@link params} sets it before each synchronous read.
 */
let takesDecimals = false

const DECIMAL = /^[0-9]+$/

/** The value, or its hexadecimal form if it is a decimal quantity and these are taken. */
function withoutDecimals(value: unknown): unknown {
  if (!takesDecimals) return value
  const isDecimal = typeof value === 'string' && value.length <= 78 && DECIMAL.test(value)
  const isInteger = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
  return isDecimal || isInteger ? `0x${BigInt(value).toString(16)}` : value
}

const SOME_DIGITS = /^0[xX][0-9a-fA-F]+$/
const QUANTITY = /^0[xX]0*([0-9a-fA-F]*)$/

/** A hexadecimal number up to 256 bits; leading zeros are accepted, as in reth and anvil. */
export const quantity = (): z.ZodType<bigint> => BITS_256

/** A hexadecimal number up to 64 bits. */
export const quantity64 = (): z.ZodType<bigint> => BITS_64

/** A hexadecimal number up to 256 bits, or a JSON integer where Hardhat accepts one. */
export const quantityOrNumber = (): z.ZodType<bigint> => EITHER

/** A hexadecimal number up to 64 bits, or a JSON integer where Hardhat accepts one. */
export const quantity64OrNumber = (): z.ZodType<bigint> => EITHER_64

const BITS_256 = reader((value, context) => readQuantity(value, context, 256))
const BITS_64 = reader((value, context) => readQuantity(value, context, 64))
const EITHER = reader((value, context) => readEither(value, context, 256))
const EITHER_64 = reader((value, context) => readEither(value, context, 64))

/** Reads a quantity of at most `bits` bits, a multiple of 4. */
export function readQuantity(given: unknown, context: Context, bits: number): bigint {
  const value = withoutDecimals(given)
  if (typeof value !== 'string') return fail(context, want('a hex number', value))
  if (value.length - 2 <= bits / 4 && SOME_DIGITS.test(value)) return BigInt(value)
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
export const flag = (): z.ZodType<boolean> => FLAG

/** Any text. */
export const text = (): z.ZodType<string> => TEXT

const FLAG = reader((value, context) =>
  typeof value === 'boolean' ? value : fail(context, want('true or false', value)),
)
const TEXT = z.string(wanted('a string'))

const PREFIX = /^0[xX]/
const DIGITS = /^0[xX][0-9a-fA-F]*$/
const SLOT_DIGITS = 64
const WHOLE_SLOT = /^0x[0-9a-f]{64}$/

/** 20 bytes in any letter case; read as lower case. Checksums are not checked. */
export const address = (): z.ZodType<Hex> => ADDRESS

/** 32 bytes; read as lower case. */
export const hash32 = (): z.ZodType<Hex> => HASH

/** Hexadecimal data of at most `limit` bytes (default: no limit); letter case is kept. */
export function data(limit?: number): z.ZodType<Hex> {
  return limit === undefined ? DATA : reader((value, context) => readData(value, context, limit))
}

/**
 * A storage slot or its value: up to 32 bytes, padded or as a quantity; read as 32 bytes in lower
 * case.
 */
export const storageSlot = (): z.ZodType<Hex> => SLOT

/**
 * Like {@link storageSlot}, but `0x` is slot 0, and the prefix may be missing, as on hardhat node.
 */
export const storageSlotText = (): z.ZodType<Hex> => SLOT_TEXT

/** A storage slot of `eth_getProof`. */
export interface StorageKey {
  /** 32 bytes in lower case. */
  readonly slot: Hex
  /** The slot as shown in the answer: in full if the client sent 32 bytes, else as a quantity. */
  readonly shown: Hex
}

/** A storage slot, with the form in which the answer shows it (as in geth). */
export const storageKey = (): z.ZodType<StorageKey> => KEY

const ADDRESS = reader((value, context) => readFixed(value, context, 40, 'an address'))
const HASH = reader((value, context) => readFixed(value, context, 64, 'a hash'))
const DATA = reader((value, context) => readData(value, context, Number.POSITIVE_INFINITY))
const SLOT = reader(readSlot)
const SLOT_TEXT = reader((given, context) => {
  const value = withoutDecimals(given)
  if (value === '0x') return readSlot('0x0', context)
  const isBare = typeof value === 'string' && /^[0-9a-fA-F]+$/.test(value)
  return readSlot(isBare ? `0x${value}` : value, context)
})
const KEY = reader((value, context): StorageKey => {
  const slot = readSlot(value, context)
  // A refused value cannot be converted; more than 62 digits count as 32 bytes.
  const asItIs = context.issues.length > 0 || String(value).length > SLOT_DIGITS
  return { slot, shown: asItIs ? slot : `0x${BigInt(slot).toString(16)}` }
})

function readFixed(value: unknown, context: Context, digits: number, what: string): Hex {
  if (typeof value !== 'string') return fail(context, want(what, value))
  if (value.length !== digits + 2 && PREFIX.test(value)) {
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
  // Only hexadecimal digits follow the prefix. With the usual prefix the text is not copied.
  return value.startsWith('0x') ? (value as Hex) : `0x${value.slice(2)}`
}

function readSlot(given: unknown, context: Context): Hex {
  // Most are whole: these take a third of the time.
  if (typeof given === 'string' && WHOLE_SLOT.test(given)) return given as Hex
  const value = withoutDecimals(given)
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
function hexProblem(text: string): string {
  return PREFIX.test(text) ? 'invalid hex string' : 'hex string without 0x prefix'
}

/**
 * Code for an account. Refuses a malformed delegation (EIP-7702), as EDR does: no chain can have
 * one, because other code must not begin with 0xef (EIP-3541), and the library cannot call it.
 */
export const accountCode = (): z.ZodType<Hex> => ACCOUNT_CODE

/** Characters of a delegation in hexadecimal: `0x` and 23 bytes. */
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

const HASH_LENGTH = 66

// The references are frozen, because all requests share them.
const TAGS: ReadonlyMap<unknown, BlockNumberReference> = new Map(
  (['latest', 'pending', 'safe', 'finalized', 'earliest'] as const).map((tag) => [
    tag,
    Object.freeze({ tag }),
  ]),
)

/** What the tag `pending` is read as. */
const PENDING = TAGS.get('pending')

/** What the tag `latest` is read as. */
const LATEST = TAGS.get('latest')

/**
 * A block: a tag, a hexadecimal number of at most 64 bits, a hash, or an object
 * `{ blockNumber } | { blockHash, requireCanonical? }` (EIP-1898).
 */
export const blockReference = (): z.ZodType<BlockReference> => REFERENCE

/** A block by tag or hexadecimal number, for methods that take no hash. */
export const blockNumberReference = (): z.ZodType<BlockNumberReference> => NUMBER_REFERENCE

/** A block by its hash alone: 32 bytes, read in lower case. */
export const blockHash = (): z.ZodType<Hex> => BLOCK_HASH

/** As {@link blockReference}, but a JSON integer is a number too, as Otterscan sends it. */
export const blockReferenceOrNumber = (): z.ZodType<BlockReference> => LAX_REFERENCE

const REFERENCE = reader<BlockReference>((value, context) => {
  if (typeof value === 'object' && value !== null) return readObject(value, context)
  if (typeof value === 'string' && value.length === HASH_LENGTH) {
    return { hash: nested(hash32(), value, context), requireCanonical: false }
  }
  return readNumber(value, context)
})

const LAX_REFERENCE = reader<BlockReference>((value, context) =>
  typeof value === 'number'
    ? { number: nested(EITHER_64, value, context) }
    : nested(REFERENCE, value, context),
)

const NUMBER_REFERENCE = reader<BlockNumberReference>(readNumber)

// Not `HASH`, so that a block can be told from another hash.
const BLOCK_HASH = reader((value, context) => nested(HASH, value, context))

function isBlock(schema: z.ZodType): boolean {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema
  return [REFERENCE, LAX_REFERENCE, NUMBER_REFERENCE, BLOCK_HASH].some((each) => each === inner)
}

function readNumber(given: unknown, context: Context): BlockNumberReference {
  const value = withoutDecimals(given)
  const tag = TAGS.get(value)
  if (tag !== undefined) return tag
  if (typeof value !== 'string') return fail(context, want('a block tag or number', value))
  if (/^[a-zA-Z]/.test(value)) {
    const tags = [...TAGS.keys()].join(', ')
    return fail(context, `unknown block tag "${shorten(value, 20)}", want one of ${tags}`)
  }
  return { number: readQuantity(value, context, 64) }
}

function readObject(value: object, context: Context): BlockReference {
  if (Array.isArray(value)) return fail(context, want('a block', value))
  // Not checked yet: the fields may have any type.
  const { blockNumber, blockHash, requireCanonical } = value as Record<string, unknown>
  const hasNumber = blockNumber !== undefined && blockNumber !== null
  const hasHash = blockHash !== undefined && blockHash !== null
  if (hasNumber && hasHash) {
    return fail(context, 'cannot specify both blockHash and blockNumber, choose one or the other')
  }
  if (hasNumber) return nested(NUMBER_REFERENCE, blockNumber, context, 'blockNumber')
  if (!hasHash) return fail(context, 'want blockNumber or blockHash')
  const hash = nested(hash32(), blockHash, context, 'blockHash')
  if (requireCanonical === undefined || requireCanonical === null) {
    return { hash, requireCanonical: false }
  }
  if (typeof requireCanonical !== 'boolean') {
    return fail(context, want('true or false', requireCanonical), ['requireCanonical'])
  }
  return { hash, requireCanonical }
}

/** A schema from a function that returns the parsed value or calls {@link fail}. */
export function reader<T>(read: Read<T>): z.ZodType<T> {
  const schema = ANYTHING.transform(read)
  reads.set(schema, read)
  return schema
}

/** The function that reads with a schema. */
export function readerOf<T>(schema: z.ZodType<T>): Read<T> {
  const known = reads.get(schema)
  // A schema's function returns what the schema does.
  if (known !== undefined) return known as Read<T>
  const read = schema instanceof z.ZodOptional ? readOptional<T>(schema) : readByZod(schema)
  reads.set(schema, read)
  return read
}

function readOptional<T>(schema: z.ZodOptional): Read<T> {
  // zod's types tell neither that the inner schema is a full one, nor that `undefined` is a `T`.
  const read = readerOf(schema.unwrap() as z.ZodType<T>)
  return (value, context) => (value === undefined ? (value as T) : read(value, context))
}

function readByZod<T>(schema: z.ZodType<T>): Read<T> {
  return (value, context) => {
    const result = schema.safeParse(value, FIRST_ISSUE_ONLY)
    if (result.success) return result.data
    const [issue] = result.error.issues
    return fail(context, issue?.message ?? 'malformed', issue?.path)
  }
}

/** Refuses the value being read, or its part at `path`. Readers return its result. */
export function fail(context: Context, message: string, path: PropertyKey[] = []): never {
  context.issues.push({ code: 'custom', message, input: undefined, path })
  return z.NEVER
}

/** Reads `value`, the part at `path` of the value being read, with its own schema. */
export function nested<T>(
  schema: z.ZodType<T>,
  value: unknown,
  context: Context,
  ...path: PropertyKey[]
): T {
  const before = context.issues.length
  const result = readerOf(schema)(value, context)
  if (path.length > 0) locate(context, before, path)
  return result
}

/** Puts `path` before the path of the issue with this index, if there is one. */
export function locate({ issues }: Context, index: number, path: PropertyKey[]): void {
  const issue = issues[index]
  if (issue !== undefined) issues[index] = { ...issue, path: [...path, ...(issue.path ?? [])] }
}

/** Error option for a zod schema: reports what is wanted and what was given. */
export function wanted(what: string): { error: z.core.$ZodErrorMap } {
  return {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown field ${shorten(JSON.stringify(issue.keys[0]), 40)}`
        : want(what, issue.input),
  }
}

/** Message such as `want an address, got a number`. */
export function want(what: string, got: unknown): string {
  return `want ${what}, got ${kindOf(got)}`
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/**
 * Option of `safeParse`: stops at the first issue, so that a list of a million bad entries does not
 * make a million issues. Internal in zod's types, but zod passes it on to containers.
 */
export const FIRST_ISSUE_ONLY: z.core.ParseContext<z.core.$ZodIssue> = Object.freeze({
  abortEarly: true,
  reportInput: false,
})

// Characters of a key in an error, because clients choose keys. An address or a hash fits.
const LONGEST_KEY = 70

/** An issue as one short sentence: its path in the parameter, then the problem. */
function describeIssue({ message = 'malformed', path = [] }: z.core.$ZodRawIssue): string {
  const problem = message.replace(/^Invalid input: /, '')
  const where = describePath(path)
  return where === '' ? problem : `${where}: ${problem}`
}

function describePath(path: readonly PropertyKey[]): string {
  let text = ''
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`
    else text += `${text === '' ? '' : '.'}${shorten(String(key), LONGEST_KEY)}`
  }
  return text
}
