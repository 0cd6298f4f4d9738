import type { Outputs } from '../../json/params.ts'
import type { WalletSettings } from '../../options/walletOptions.ts'
import { type Hex, isBytes, isHex, quantityFrom } from '../../primitives/hex.ts'
import { integerOr } from '../../primitives/json.ts'
import {
  at,
  mapped,
  type PathKey,
  pathText,
  type Reader,
  readWith,
  refuse,
  text,
} from '../../primitives/reader.ts'
import type { RequestContext } from './requestContext.ts'
import { UnauthorizedError, WalletParamsError } from './walletErrors.ts'

/**
 * Reads the parameters of a method. Many apps pass more of them, such as `[chain, account]`: as in
 * MetaMask, items beyond those of a {@link list} are ignored, except by `eip3085`.
 *
 * @throws {WalletParamsError} for the first problem
 */
export function readParams<Value>(
  read: Reader<Value>,
  args: unknown,
  { profile }: Pick<WalletSettings, 'profile'> = { profile: 'eip3085' },
): Value {
  const isCut = profile !== 'eip3085' && 'most' in read && Array.isArray(args)
  const params: unknown = isCut ? args.slice(0, integerOr(read.most, args.length)) : args
  return readWith(read, params, ({ message, path, problem, expected = message, value }) => {
    const reason = value === undefined ? 'missing' : value === null ? 'type' : problem
    return new WalletParamsError(fieldName(path), reason, expected, value)
  })
}

/** Maximum nesting of parameters, to protect the stack; typed data needs about ten levels. */
const MAX_LEVELS = 64

/** The form of parameters that are not {@link isDeep}. */
export const SHALLOW = `nested at most ${MAX_LEVELS} levels deep`

/** True if a JSON value nests lists and objects more than `levels` deep. */
export function isDeep(value: unknown, levels = MAX_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((one) => isDeep(one, levels - 1))
}

/** Writes `[0].nativeCurrency.symbol` as `nativeCurrency.symbol`, and `[1]` as `params[1]`. */
function fieldName(path: readonly PathKey[]): string {
  const [first, ...rest] = path
  if (first === undefined) return 'params'
  return pathText(rest.length > 0 && first === 0 ? rest : ['params', ...path])
}

/** A list of these items, of which those after the first `least` may be missing. */
export function list<const Items extends readonly Reader<unknown>[]>(
  items: Items,
  what: string,
  least = items.length,
) {
  const expected = `a list of ${what}`
  const read: Reader<Outputs<Items>> = (given, context) => {
    if (!Array.isArray(given)) return refuse(context, given, expected)
    if (given.length < least || given.length > items.length) {
      return refuse(context, given, expected, 'range')
    }
    const values = items.map((item, index) => at(context, index, item, given[index]))
    // Each item was read by the reader at the same index.
    return values as Outputs<Items>
  }
  return Object.assign(read, { most: items.length })
}

/** MetaMask's limit: its arithmetic is not exact for larger ids. */
const LARGEST_CHAIN_ID = 4_503_599_627_370_476n

/** A chain id as a quantity, in lower case. */
export const CHAIN_ID = mapped(text('a 0x-prefixed hexadecimal string'), (value, context): Hex => {
  if (!isHex(value) || /^0x(?:0|$)/i.test(value)) {
    const expected = 'a 0x-prefixed hexadecimal string without leading zeros, such as 0x7a69'
    return refuse(context, value, expected, 'format')
  }
  if (value.length > 66 || BigInt(value) > LARGEST_CHAIN_ID) {
    return refuse(context, value, `at most 0x${LARGEST_CHAIN_ID.toString(16)}`, 'range')
  }
  return `0x${value.slice(2).toLowerCase()}`
})

/** An address in upper, lower or mixed case, turned into lower case. */
export const ACCOUNT = mapped(
  text('an address'),
  (value, context): Hex =>
    isBytes(value, 20)
      ? `0x${value.slice(2).toLowerCase()}`
      : refuse(context, value, 'an address of 20 bytes in hexadecimal', 'format'),
)

const QUANTITY_TEXT = 'a quantity in hexadecimal, such as 0x1'
export const QUANTITY = mapped(
  text(QUANTITY_TEXT),
  (value, context): Hex =>
    isHex(value) && quantityFrom(value) !== undefined
      ? value
      : refuse(context, value, QUANTITY_TEXT, 'format'),
)

const BYTES_TEXT = 'bytes in hexadecimal'
export const BYTES = mapped(
  text(BYTES_TEXT),
  (value, context): Hex => (isBytes(value) ? value : refuse(context, value, BYTES_TEXT, 'format')),
)

/** Returns the account if the client's origin is connected to it. @throws {UnauthorizedError} */
export function requireAccount({ accounts }: RequestContext, account: Hex): Hex {
  if (accounts.includes(account)) return account
  throw new UnauthorizedError(account)
}

/** Returns the named account, or the first connected one. @throws {UnauthorizedError} */
export function senderOf(context: RequestContext, from: Hex | undefined): Hex {
  const account = from ?? context.accounts[0]
  if (account === undefined) throw new UnauthorizedError(undefined)
  return requireAccount(context, account)
}
