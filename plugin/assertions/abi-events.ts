import type { Hex } from '../../devnet/index.ts'
import { isHex, isObject, printableJson, readAbi, toHex } from '../../devnet/pluginApi.ts'
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

export interface KnownEvent {
  readonly name: string
  readonly inputs: readonly AbiParameter[]
  /** Canonical, such as `Transfer(address,address,uint256)`. */
  readonly signature: string
  /** Values of a log, in the order of `inputs`; `undefined` if the log is not of this event. */
  decode(log: Log): readonly unknown[] | undefined
}

/**
 * The events of an ABI.
 *
 * @throws {TypeError} if `abi` is not an ABI
 */
export async function eventsOf(abi: AbiLike): Promise<readonly KnownEvent[]> {
  // Loaded only for assertions on events: the decoder takes longer to load than all the rest.
  const { events, parseAbi } = await import('micro-eth-signer/abi.js')
  // The library's types need a constant ABI; this one is known only at run time.
  const coders = events as (abi: readonly AbiItem[]) => Record<string, EventCoder>
  return itemsOf(abi, parseAbi).flatMap((item) => {
    const { name, inputs = [], anonymous = false } = item
    if (item.type !== 'event' || name === undefined || name === '') return []
    const coder = coders([item])[name]
    if (coder === undefined) return []
    const isNamed = inputs.every((input) => input.name)
    const any = isNamed
      ? Object.fromEntries(inputs.map((input) => [input.name, null]))
      : inputs.map(() => null)
    const [topic] = coder.topics(any)
    const indexed = inputs.filter((input) => input.indexed).length
    return [
      {
        name,
        inputs,
        signature: readAbi([item])[0]?.signature ?? name,
        decode({ topics, data }: Log) {
          if (topics.length !== indexed + (anonymous ? 0 : 1)) return undefined
          if (!anonymous && topics[0] !== topic) return undefined
          try {
            const values = coder.decode(topics, data)
            if (Array.isArray(values)) return values
            return inputs.map((input) => Object(values)[input.name ?? ''])
          } catch {
            // The log is of another event whose topics happen to match.
            return undefined
          }
        },
      },
    ]
  })
}

/** The library's encoder and decoder of one event. */
interface EventCoder {
  topics(values: object): readonly (string | null)[]
  decode(topics: readonly string[], data: string): unknown
}

function itemsOf(abi: AbiLike, parse: (lines: string[]) => unknown): readonly AbiItem[] {
  const isInterface = isObject(abi) && typeof abi.formatJson === 'function'
  const list: unknown = isInterface ? JSON.parse(abi.formatJson()) : abi
  if (!Array.isArray(list)) {
    throw new TypeError('abi is an array of entries or of lines, or an Interface of ethers.')
  }
  const lines = list.filter((item) => typeof item === 'string')
  // The library parses lines into the JSON form of an ABI.
  const parsed = lines.length === 0 ? [] : (parse(lines) as AbiItem[])
  return [...list.filter((item) => typeof item !== 'string'), ...parsed]
}

/** Computes the keccak-256 hash of `data`. */
export type Hash = (data: Hex) => Promise<Hex>

/** True if the values of a log are the expected ones. */
export async function argumentsFit(
  { inputs }: KnownEvent,
  { values, expected }: { values: readonly unknown[]; expected: readonly unknown[] },
  hash: Hash,
): Promise<boolean> {
  for (const [index, input] of inputs.entries()) {
    const wanted = expected[index]
    if (isHashed(input)) {
      const topic = await topicOf(input, wanted, hash)
      if (!fits({ type: 'bytes32' }, topic, values[index])) return false
    } else if (!fits(input, wanted, values[index])) return false
  }
  return true
}

/** True if the topic holds only a hash, as for an indexed string, bytes, array or tuple. */
function isHashed({ type, indexed }: AbiParameter): boolean {
  return indexed === true && /^(string|bytes|tuple)$|\]$/.test(type)
}

async function topicOf({ type }: AbiParameter, wanted: unknown, hash: Hash): Promise<unknown> {
  const isText = type === 'string' && typeof wanted === 'string'
  if (!isText || /^0x[0-9a-f]{64}$/i.test(wanted)) return wanted
  return hash(toHex(Buffer.from(wanted)))
}

/** True if a decoded value is the expected one; `undefined` and `null` match any value. */
function fits(parameter: AbiParameter, expected: unknown, actual: unknown): boolean {
  if (expected === undefined || expected === null) return true
  const decide = decider(expected)
  if (decide !== undefined) return decide(presented(parameter, actual))
  const inner = elementOf(parameter)
  if (inner !== undefined) {
    if (!Array.isArray(expected) || !Array.isArray(actual)) return false
    return (
      expected.length === actual.length &&
      expected.every((one, index) => fits(inner, one, actual[index]))
    )
  }
  if (parameter.type === 'tuple') {
    if (typeof expected !== 'object') return false
    return (parameter.components ?? []).every((component, index) =>
      fits(component, member(expected, component, index), member(actual, component, index)),
    )
  }
  return comparable(parameter.type, expected) === comparable(parameter.type, actual)
}

/** A test for values, if `expected` is a function or a vitest matcher; otherwise `undefined`. */
function decider(expected: unknown): ((value: unknown) => boolean) | undefined {
  if (typeof expected === 'function') return (value) => expected(value) === true
  if (!isObject(expected) || typeof expected.asymmetricMatch !== 'function') return undefined
  const { asymmetricMatch } = expected
  return (value) => asymmetricMatch.call(expected, value) === true
}

/** A decoded value as clients such as viem present it: bytes as hex, tuples as objects. */
function presented(parameter: AbiParameter, value: unknown): unknown {
  const inner = elementOf(parameter)
  if (inner !== undefined && Array.isArray(value)) return value.map((one) => presented(inner, one))
  if (parameter.type === 'tuple') {
    const { components = [] } = parameter
    return Object.fromEntries(
      components.map((component, index) => [
        component.name || String(index),
        presented(component, member(value, component, index)),
      ]),
    )
  }
  return value instanceof Uint8Array ? toHex(value) : value
}

/** The parameter for one element of an array; `undefined` if the parameter is not an array. */
function elementOf({ type, ...parameter }: AbiParameter): AbiParameter | undefined {
  const end = /\[\d*\]$/.exec(type)
  return end === null ? undefined : { ...parameter, type: type.slice(0, end.index) }
}

/** A tuple's value for one component; named components make it an object, others an array. */
function member(tuple: unknown, { name }: AbiParameter, index: number): unknown {
  if (Array.isArray(tuple)) return tuple[index]
  return isObject(tuple) && name ? tuple[name] : undefined
}

/** Makes equal elementary values identical: integers become bigints, bytes lower-case hex. */
function comparable(type: string, value: unknown): unknown {
  if (type.startsWith('uint') || type.startsWith('int')) {
    return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value
  }
  if (type === 'string' || type === 'bool') return value
  if (value instanceof Uint8Array) return toHex(value)
  return isHex(value) ? lowerCase(value) : value
}

/** A decoded log as text, e.g. `Transfer(from: 0x…, value: 5)`. */
export function eventText({ name, inputs }: KnownEvent, values: readonly unknown[]): string {
  const parts = inputs.map((input, index) => {
    const value = textOf(isHashed(input) ? values[index] : presented(input, values[index]))
    return input.name ? `${input.name}: ${value}` : value
  })
  return `${name}(${parts.join(', ')})`
}

/** Maximum number of characters of a value that a message shows. */
const MAX_LENGTH = 200

/** A value of an event, as text that is safe to print. */
export function textOf(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'function') return value.name === '' ? 'as the function says' : value.name
  if (isHex(value)) return cut(value, MAX_LENGTH)
  const json = JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one))
  return cut(printableJson(json ?? typeof value), MAX_LENGTH)
}
