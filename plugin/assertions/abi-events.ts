import type { Hex } from '../../devnet/index.ts'
import {
  type AbiEntry,
  type AbiValue,
  isHex,
  isObject,
  loadNaming,
  printableJson,
  toHex,
} from '../../devnet/pluginApi.ts'
import { cut } from '../output/lines.ts'
import { lowerCase } from './arguments.ts'
import type { Log } from './transaction-state.ts'

/** A parameter of an event, as in an ABI of viem, ethers, solc or a Hardhat artifact. */
export interface AbiParameter {
  readonly type: string
  readonly name?: string | undefined
  readonly indexed?: boolean | undefined
  /** Fields, if `type` is a tuple. */
  readonly components?: readonly AbiParameter[] | undefined
}

export interface AbiItem {
  readonly type: string
  readonly name?: string | undefined
  readonly inputs?: readonly AbiParameter[] | undefined
  readonly anonymous?: boolean | undefined
}

/**
 * An ABI as JSON, as lines such as
 * `event Transfer(address indexed from, address indexed to, uint256 value)`, or as an `Interface`
 * of ethers.
 */
export type AbiLike = readonly (AbiItem | string)[] | { formatJson(): string }

export interface KnownEvent extends AbiEntry {
  /** Values of a log, in the order of `inputs`; `undefined` if the log is not of this event. */
  decode(log: Log): readonly AbiValue[] | undefined
  /** A log as text that is safe to print, e.g. `Transfer(from: 0x…, value: 5)`; as above. */
  textOf(log: Log): string | undefined
  /** The topic of an indexed text. */
  hashOf(text: string): Hex
}

/** Limits of the values that are compared: a node may answer any log. */
const LIMITS = { elements: 100_000, values: 1_000_000, bytes: 16_777_216 }

/** Maximum number of characters of a value that a message shows. */
const MAX_LENGTH = 200

/**
 * The events of an ABI.
 *
 * @throws {TypeError} if `abi` is not an ABI
 */
export async function eventsOf(abi: AbiLike): Promise<readonly KnownEvent[]> {
  const items = await itemsOf(abi)
  // Loaded only for assertions on events.
  const { readAbi, source, keccak256, ...naming } = await loadNaming()
  return readAbi(items).flatMap((entry) => {
    if (entry.kind !== 'event') return []
    const decode = (log: Log) =>
      naming.isOf(source, entry, log) ? naming.eventValues(entry, log, LIMITS) : undefined
    const textOf = (log: Log) => {
      const list =
        naming.isOf(source, entry, log) && naming.decodeEvent((address) => address, entry, log)
      if (!list) return undefined
      const text = naming.argumentsText(list, (value) => cut(value, MAX_LENGTH))
      return printableJson(`${entry.name}(${text})`)
    }
    return [{ ...entry, decode, textOf, hashOf: (text) => toHex(keccak256(Buffer.from(text))) }]
  })
}

async function itemsOf(abi: AbiLike): Promise<readonly unknown[]> {
  const isInterface = isObject(abi) && typeof abi.formatJson === 'function'
  const list: unknown = isInterface ? JSON.parse(abi.formatJson()) : abi
  if (!Array.isArray(list)) {
    throw new TypeError('abi is an array of entries or of lines, or an Interface of ethers.')
  }
  const lines = list.filter((item) => typeof item === 'string')
  if (lines.length === 0) return list
  const { parseAbi } = await import('micro-eth-signer/abi.js')
  return [...list.filter((item) => typeof item !== 'string'), ...parseAbi(lines)]
}

/** True if the values of a log are the expected ones. */
export function argumentsFit(
  { inputs, hashOf }: KnownEvent,
  values: readonly AbiValue[],
  expected: readonly unknown[],
): boolean {
  return values.every((value, index) => {
    const wanted = expected[index]
    // Of an indexed text the topic is the hash, which may also be what is expected.
    const isText = inputs[index]?.type === 'string' && inputs[index].indexed === true
    const isHash = typeof wanted !== 'string' || /^0x[0-9a-f]{64}$/i.test(wanted)
    return fits(isText && !isHash ? hashOf(wanted) : wanted, value)
  })
}

/** True if a decoded value is the expected one; `undefined` and `null` match any value. */
function fits(expected: unknown, actual: AbiValue): boolean {
  if (expected === undefined || expected === null) return true
  const decide = decider(expected)
  if (decide !== undefined) return decide(presented(actual))
  const { type, value } = actual
  if (typeof value !== 'object') return comparable(type, expected) === value
  if (isTuple(actual)) {
    if (typeof expected !== 'object') return false
    return value.every((one, index) => fits(member(expected, one.name, index), one))
  }
  if (!Array.isArray(expected) || expected.length !== value.length) return false
  return value.every((one, index) => fits(expected[index], one))
}

const isTuple = ({ type }: AbiValue) => type.endsWith(')')

/** A test for values, if `expected` is a function or a vitest matcher; otherwise `undefined`. */
function decider(expected: unknown): ((value: unknown) => boolean) | undefined {
  if (typeof expected === 'function') return (value) => expected(value) === true
  if (!isObject(expected) || typeof expected.asymmetricMatch !== 'function') return undefined
  const { asymmetricMatch } = expected
  return (value) => asymmetricMatch.call(expected, value) === true
}

/** A decoded value as clients such as viem present it: bytes as hex, tuples as objects. */
function presented(actual: AbiValue): unknown {
  const { value } = actual
  if (typeof value !== 'object') return value
  const list = value.map(presented)
  if (!isTuple(actual)) return list
  return Object.fromEntries(value.map(({ name }, index) => [name || String(index), list[index]]))
}

/** The expected value of one component: of an array by its position, or else by its name. */
function member(tuple: object, name: string, index: number): unknown {
  if (Array.isArray(tuple)) return tuple[index]
  return isObject(tuple) && name ? tuple[name] : undefined
}

/** An expected value as it is decoded: integers are bigints, bytes lower-case hex. */
function comparable(type: string, value: unknown): unknown {
  if (type.startsWith('uint') || type.startsWith('int')) {
    return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value
  }
  if (type === 'string' || type === 'bool') return value
  if (value instanceof Uint8Array) return toHex(value)
  return isHex(value) ? lowerCase(value) : value
}

/** An expected value as text that is safe to print. */
export function asText(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'function') return value.name === '' ? 'as the function says' : value.name
  if (isHex(value)) return cut(value, MAX_LENGTH)
  const json = JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one))
  return cut(printableJson(json ?? typeof value), MAX_LENGTH)
}
