import * as z from 'zod'
import type { WalletSettings } from '../../options/walletOptions.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { RequestContext } from './requestContext.ts'
import { type ParamProblem, UnauthorizedError, WalletParamsError } from './walletErrors.ts'

/**
 * Parses the parameters of a method. Much code asks as it asks a node, with `[chain, account]` say:
 * as in MetaMask, items behind those that a {@link list} has are ignored, but not by `eip3085`.
 *
 * @throws {WalletParamsError} for the first problem
 */
export function readParams<Value>(
  schema: z.ZodType<Value>,
  args: unknown,
  { profile }: Pick<WalletSettings, 'profile'> = { profile: 'eip3085' },
): Value {
  const isCut = profile !== 'eip3085' && schema instanceof z.ZodTuple && Array.isArray(args)
  const params = isCut ? args.slice(0, schema.def.items.length) : args
  const result = schema.safeParse(params, FIRST_ISSUE_ONLY)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const path = issue?.path ?? []
  const received = valueAt(params, path)
  const given: unknown = issue?.code === 'custom' ? issue.params?.reason : undefined
  const reason =
    received === undefined || received === null
      ? received === undefined
        ? 'missing'
        : 'type'
      : isProblem(given)
        ? given
        : (PROBLEMS[issue?.code ?? ''] ?? 'type')
  throw new WalletParamsError(fieldName(path), reason, issue?.message ?? 'well-formed', received)
}

/** What is wrong with a parameter, by zod's issue code. */
const PROBLEMS: Readonly<Record<string, ParamProblem>> = {
  invalid_type: 'type',
  invalid_value: 'unsupported',
  too_small: 'range',
  too_big: 'range',
  unrecognized_keys: 'unknown-field',
}

function isProblem(value: unknown): value is ParamProblem {
  return typeof value === 'string'
}

/** Writes `[0].nativeCurrency.symbol` as `nativeCurrency.symbol`, and `[1]` as `params[1]`. */
function fieldName(path: readonly PropertyKey[]): string {
  const [first, ...rest] = path
  if (first === undefined) return 'params'
  const keys = rest.length === 0 ? ['params', first] : first === 0 ? rest : ['params', ...path]
  return keys
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .slice(1)
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return undefined
    current = Reflect.get(current, key)
  }
  return current
}

/**
 * Rejects the value being parsed, or the part of it at `path`.
 *
 * @param expected - completes the message `<field> must be …`
 */
export function refuse(
  context: Context,
  reason: ParamProblem,
  expected: string,
  path: PropertyKey[] = [],
): never {
  const issue = { code: 'custom' as const, message: expected, input: undefined, path }
  context.issues.push({ ...issue, params: { reason } })
  return z.NEVER
}

/** Parses a value with another schema and reports its first problem to `context`. */
export function nested<Value>(schema: z.ZodType<Value>, value: unknown, context: Context): Value {
  const result = schema.safeParse(value, FIRST_ISSUE_ONLY)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const { reason }: { reason?: unknown } = (issue?.code === 'custom' && issue.params) || {}
  return refuse(context, isProblem(reason) ? reason : 'type', issue?.message ?? 'well-formed')
}

/** Error message of a schema; `expected` completes `<field> must be …`. */
export function must(expected: string): { error: () => string } {
  return { error: () => expected }
}

/** Parameters that are a list of exactly these items; `what` describes them in errors. */
export function list<const Items extends [z.ZodType, ...z.ZodType[]]>(items: Items, what: string) {
  return z.tuple(items, must(`a list of ${what}`))
}

const CHAIN_ID_PATTERN = /^0x[1-9a-f][0-9a-f]*$/i
/** MetaMask's limit: its arithmetic is not exact for larger ids. */
const LARGEST_CHAIN_ID = 4_503_599_627_370_476n

/** A chain id as a quantity, in lower case. */
export const CHAIN_ID: z.ZodType<Hex> = z
  .string(must('a 0x-prefixed hexadecimal string'))
  .transform((text, context): Hex => {
    if (!CHAIN_ID_PATTERN.test(text)) {
      return refuse(
        context,
        'format',
        'a 0x-prefixed hexadecimal string without leading zeros, such as 0x7a69',
      )
    }
    if (text.length > 66 || BigInt(text) > LARGEST_CHAIN_ID) {
      return refuse(context, 'range', `at most 0x${LARGEST_CHAIN_ID.toString(16)}`)
    }
    // Checked by the pattern.
    return text.toLowerCase() as Hex
  })

/** An address in upper, lower or mixed case, turned into lower case. */
export const ACCOUNT: z.ZodType<Hex> = z
  .string(must('an address'))
  .transform((text, context): Hex => {
    if (!/^0x[0-9a-f]{40}$/i.test(text)) {
      return refuse(context, 'format', 'an address of 20 bytes in hexadecimal')
    }
    return text.toLowerCase() as Hex
  })

export const QUANTITY = matching(/^0x[0-9a-f]{1,64}$/i, 'a quantity in hexadecimal, such as 0x1')
export const BYTES = matching(/^0x(?:[0-9a-f]{2})*$/i, 'bytes in hexadecimal')

function matching(pattern: RegExp, what: string): z.ZodType<Hex> {
  return z.string(must(what)).transform((text, context): Hex => {
    // Checked by the pattern.
    return pattern.test(text) ? (text as Hex) : refuse(context, 'format', what)
  })
}

/** The part of zod's transform context that is used here. */
export type Context = z.core.ParsePayload

/** Stops at the first issue. Internal in zod's types, but zod passes it on to containers. */
const FIRST_ISSUE_ONLY: z.core.ParseContext<z.core.$ZodIssue> = Object.freeze({
  abortEarly: true,
  reportInput: false,
})

type Connected = Pick<RequestContext, 'accounts'>

/** Returns the account if the client's origin is connected to it. @throws {UnauthorizedError} */
export function requireAccount({ accounts }: Connected, account: Hex): Hex {
  if (accounts.includes(account)) return account
  throw new UnauthorizedError(account)
}

/** Returns the named account, or the first connected one. @throws {UnauthorizedError} */
export function senderOf(context: Connected, from: Hex | undefined): Hex {
  const account = from ?? context.accounts[0]
  if (account === undefined) throw new UnauthorizedError(undefined)
  return requireAccount(context, account)
}
