import {
  type AbiEntry,
  AbiError,
  type AbiLimits,
  type AbiValue,
  decodeParameters,
} from '../../primitives/abi.ts'
import { shorten } from '../../primitives/errors.ts'
import { fromHex, type Hex } from '../../primitives/hex.ts'
import type { CallNames } from './contractNames.ts'
import type { DecodedArgument, DecodedCall } from './types.ts'

export type Describe = (address: Hex) => string

/** Limits of the arguments shown for all calls of a request. */
const LIMITS: AbiLimits = { elements: 50, values: 200, bytes: 1000 }
/** Longest name of a function or parameter that is shown, in characters. */
const MAX_NAME = 80
/** Longest text of all arguments of a call, in characters. */
const MAX_TEXT = 4000

/**
 * Decodes the arguments of a call or a creation.
 *
 * @param calls - how many calls are shown together
 * @returns `undefined` if neither its contract nor its function is known
 */
export function decodeCall(
  describe: Describe,
  { contract, isProxied, entry, isStandard, data }: CallNames,
  calls: number,
): DecodedCall | undefined {
  if (entry === undefined) return undefined
  const share = (limit: number) => Math.ceil(limit / calls)
  const limits = { ...LIMITS, values: share(LIMITS.values), bytes: share(LIMITS.bytes) }
  return {
    contract: isStandard ? null : contract,
    isProxied,
    function: entry.kind === 'function' ? shorten(entry.signature, 2 * MAX_NAME) : null,
    arguments: decodeArguments(describe, entry.inputs, data, limits),
  }
}

/** The parameters of a function, an error or an event; `null` if the data does not fit. */
export function decodeArguments(
  describe: Describe,
  inputs: AbiEntry['inputs'],
  data: Hex,
  limits: AbiLimits = LIMITS,
): readonly DecodedArgument[] | null {
  try {
    return decodeParameters(inputs, fromHex(data), limits).map((value) => shown(describe, value))
  } catch (error) {
    if (error instanceof AbiError) return null
    throw error
  }
}

function shown(describe: Describe, { name, type, value, omitted }: AbiValue): DecodedArgument {
  const labels = { name: shorten(name, MAX_NAME), type: shorten(type, MAX_NAME) }
  if (typeof value === 'object') {
    const list = value.map((one) => shown(describe, one))
    return { ...labels, value: list, ...(omitted > 0 ? { omitted } : {}) }
  }
  return { ...labels, value: valueText(describe, type, value, omitted) }
}

function valueText(
  describe: Describe,
  type: string,
  value: Hex | string | bigint | boolean,
  omitted: number,
): string {
  const rest = omitted > 0 ? `… and ${omitted.toLocaleString('en')} more bytes` : ''
  // Quoted, so that no text can look like another value.
  if (type === 'string') return JSON.stringify(value) + rest
  // The decoder's form of an address.
  if (type === 'address') return describe(value as Hex)
  return `${value}${isUnlimited(type, value) ? ` (${UNLIMITED})` : ''}${rest}`
}

/** Marks an amount without limit. */
export const UNLIMITED = 'unlimited'

/** Fewest bits of an integer whose largest value means "unlimited", as of an allowance. */
export const UNLIMITED_BITS = 96

function isUnlimited(type: string, value: Hex | string | bigint | boolean): boolean {
  const bits = Number(/^uint(\d+)$/.exec(type)?.[1] ?? 0)
  return bits >= UNLIMITED_BITS && value === 2n ** BigInt(bits) - 1n
}

/** A call in one line, e.g. `Token.transfer(to: 0x7099…79C8, amount: 5)`. */
export function callText(call: DecodedCall): string {
  const name = callName(call)
  if (call.arguments === null) return `${name}, but its arguments cannot be read`
  return `${name}(${shorten(argumentsText(call.arguments), MAX_TEXT)})`
}

/** The callee, e.g. `Token.transfer`, `transfer` or `new Token`. */
export function callName({ contract, function: signature }: DecodedCall): string {
  if (signature === null) return `new ${contract}`
  const name = signature.replace(/\(.*$/s, '')
  return contract === null ? name : `${contract}.${name}`
}

/** An error with its arguments, e.g. `TooMuch(wanted: 5, left: 0)`. */
export function errorText(describe: Describe, entry: AbiEntry, data: Hex): string {
  const found = decodeArguments(describe, entry.inputs, `0x${data.slice(10)}`)
  return shorten(found === null ? entry.name : `${entry.name}(${argumentsText(found)})`, MAX_TEXT)
}

/** @param text - of a value that is no list */
export function argumentsText(
  list: readonly DecodedArgument[],
  text = (value: string): string => value,
): string {
  return list
    .map(({ name, type, value, omitted }) => {
      const isTuple = type.endsWith(')')
      const inner = typeof value === 'string' ? text(value) : argumentsText(value, text)
      const rest = omitted === undefined ? '' : `, … ${omitted.toLocaleString('en')} more`
      const whole =
        typeof value === 'string' ? inner : isTuple ? `(${inner}${rest})` : `[${inner}${rest}]`
      return name === '' ? whole : `${name}: ${whole}`
    })
    .join(', ')
}
