import {
  type AbiEntry,
  AbiError,
  type AbiLimits,
  type AbiValue,
  decodeParameters,
} from '../../primitives/abi.ts'
import { type AbiArgument, encodeArguments } from '../../primitives/abiEncode.ts'
import { isUnlimited, UNLIMITED_NOTE } from '../../primitives/amounts.ts'
import { shorten } from '../../primitives/errors.ts'
import { fromHex, type Hex, toHex } from '../../primitives/hex.ts'
import type { CallNames } from './contractNames.ts'
import type { DecodedArgument, DecodedCall, Held } from './types.ts'

export type Describe = (address: Hex) => string

/** Limits of the arguments shown for all calls of a request. */
export const LIMITS: AbiLimits = { elements: 50, values: 200, bytes: 1000 }
/** Longest name of a function or parameter that is shown, in characters. */
const MAX_NAME = 80
/** Longest text of all arguments of a call, in characters. */
const MAX_TEXT = 4000

/** Limits of what is decoded to find calls and errors in it. */
const WIDE: AbiLimits = { elements: 1000, values: 4000, bytes: 65_536 }
/** Maximum depth of nested calls and errors that are decoded. */
const DEEPEST = 4

/** The functions or errors that these bytes can be of, by their selector. */
export type FindEntries = (data: Hex) => readonly AbiEntry[]

/**
 * Decodes the arguments of a call or a creation.
 *
 * @param calls - how many calls are shown together
 * @param find - for calls inside of its arguments. Default: they stay bytes
 * @returns `undefined` if neither its contract nor its function is known
 */
export function decodeCall(
  describe: Describe,
  { contract, isProxied, isDelegated, entry, isStandard, data }: CallNames,
  calls: number,
  find?: FindEntries,
): DecodedCall | undefined {
  if (entry === undefined) return undefined
  const share = (limit: number) => Math.ceil(limit / calls)
  const limits = { ...LIMITS, values: share(LIMITS.values), bytes: share(LIMITS.bytes) }
  return {
    contract: isStandard ? null : contract,
    isProxied,
    ...(isDelegated ? { isDelegated } : {}),
    function: entry.kind === 'function' ? shorten(entry.signature, 2 * MAX_NAME) : null,
    arguments: decodeArguments(describe, entry.inputs, data, { limits, find }),
  }
}

export interface DecodeOptions {
  readonly limits?: AbiLimits
  /** For calls and errors inside of `bytes`. Default: they stay bytes */
  readonly find?: FindEntries | undefined
  readonly depth?: number
}

/** The parameters of a function, an error or an event; `null` if the data does not fit. */
export function decodeArguments(
  describe: Describe,
  inputs: AbiEntry['inputs'],
  data: Hex,
  options: DecodeOptions = {},
): readonly DecodedArgument[] | null {
  const { limits = LIMITS, find } = options
  const bytes = find === undefined ? limits.bytes : WIDE.bytes
  const values = decodeParameters(inputs, fromHex(data), { ...limits, bytes })
  return values?.map((value) => toArgument(describe, value, options)) ?? null
}

/** A value as text. */
export function toArgument(
  describe: Describe,
  { name, type, value, omitted }: AbiValue,
  options: DecodeOptions = {},
): DecodedArgument {
  const labels = { name: shorten(name, MAX_NAME), type: shorten(type, MAX_NAME) }
  if (typeof value === 'object') {
    const list = value.map((one) => toArgument(describe, one, options))
    return { ...labels, value: list, ...(omitted > 0 ? { omitted } : {}) }
  }
  const unit = type === 'bytes' ? 2 : 1
  const cut = typeof value === 'string' ? value.slice(0, unit * LIMITS.bytes + 2) : value
  const left = omitted + (String(value).length - String(cut).length) / unit
  // The decoder gives `bytes` as hex.
  const holds = type === 'bytes' && omitted === 0 ? heldIn(describe, value as Hex, options) : null
  const text = valueText(describe, type, cut, left)
  return { ...labels, value: text, ...(holds === null ? {} : { holds }) }
}

/** The call or error that some bytes are, provided that they are nothing but that. */
function heldIn(describe: Describe, data: Hex, { find, depth = 0 }: DecodeOptions): Held | null {
  const body: Hex = `0x${data.slice(10)}`
  const entry = depth < DEEPEST && find?.(data).find(({ inputs }) => isExactly(inputs, body))
  if (!entry) return null
  const list = decodeArguments(describe, entry.inputs, body, { find, depth: depth + 1 })
  return { name: shorten(entry.name, MAX_NAME), arguments: list ?? [] }
}

/** True if the data is what a compiler makes of these parameters: four bytes can be a chance. */
function isExactly(inputs: AbiEntry['inputs'], data: Hex): boolean {
  try {
    const values = decodeParameters(inputs, fromHex(data), WIDE)
    return values !== undefined && toHex(encodeArguments(inputs, values.map(argumentOf))) === data
  } catch (error) {
    if (error instanceof AbiError) return false
    throw error
  }
}

function argumentOf({ value }: AbiValue): AbiArgument {
  return typeof value === 'object' ? value.map(argumentOf) : String(value)
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
  // The decoder gives an address as hex.
  if (type === 'address') return describe(value as Hex)
  return `${value}${isLargest(type, value) ? UNLIMITED_NOTE : ''}${rest}`
}

/** Fewest bits of an integer whose largest value means "unlimited", as of an allowance. */
const UNLIMITED_BITS = 96

function isLargest(type: string, value: Hex | string | bigint | boolean): boolean {
  const bits = Number(/^uint(\d+)$/.exec(type)?.[1] ?? 0)
  return bits >= UNLIMITED_BITS && typeof value === 'bigint' && isUnlimited(value, bits)
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
export function errorText({ name }: AbiEntry, list: readonly DecodedArgument[] | null): string {
  return shorten(list === null ? name : `${name}(${argumentsText(list)})`, MAX_TEXT)
}

/** @param text - of a value that is no list */
export function argumentsText(
  list: readonly DecodedArgument[],
  text = (value: string): string => value,
): string {
  return list
    .map(({ name, type, value, amount, omitted, holds }) => {
      const isTuple = type.endsWith(')')
      const inner =
        holds !== undefined
          ? `${holds.name}(${argumentsText(holds.arguments, text)})`
          : typeof value === 'string'
            ? (amount ?? text(value))
            : argumentsText(value, text)
      const rest = omitted === undefined ? '' : `, … ${omitted.toLocaleString('en')} more`
      const whole =
        typeof value === 'string' ? inner : isTuple ? `(${inner}${rest})` : `[${inner}${rest}]`
      return name === '' ? whole : `${name}: ${whole}`
    })
    .join(', ')
}
