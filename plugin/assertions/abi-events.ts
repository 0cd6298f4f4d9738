import type { Hex } from '../../devnet/primitives/hex.ts'
import { isObject } from '../node-answers.ts'
import { cut, printableJson } from '../output/escape.ts'
import type { AbiItem, AbiLike, AbiParameter } from './expected-event.ts'
import type { Log } from './sighting.ts'
import { isHex, lowerCase } from './subject.ts'

/** What decides about a value by itself: a predicate, as in Hardhat's assertions, or an asymmetric matcher of vitest. */
function decider(expected: unknown): ((value: unknown) => boolean) | undefined {
  if (typeof expected === 'function') return (value) => expected(value) === true
  if (!isObject(expected) || typeof expected.asymmetricMatch !== 'function') return undefined
  const { asymmetricMatch } = expected
  return (value) => asymmetricMatch.call(expected, value) === true
}

/** Whether a decoded value is what a test expects of a parameter; `undefined` and `null` expect any. */
export function fits(parameter: AbiParameter, expected: unknown, actual: unknown): boolean {
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
    if (!isObject(expected)) return false
    return (parameter.components ?? []).every((component, index) =>
      fits(component, member(expected, component, index), member(actual, component, index)),
    )
  }
  return comparable(parameter.type, expected) === comparable(parameter.type, actual)
}

/** A decoded value in the form in which clients give it: bytes and addresses as text. */
export function presented(parameter: AbiParameter, value: unknown): unknown {
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

/** The parameter that an array repeats. */
function elementOf({ type, ...parameter }: AbiParameter): AbiParameter | undefined {
  const end = /\[\d*\]$/.exec(type)
  return end === null ? undefined : { ...parameter, type: type.slice(0, end.index) }
}

/** Tuples are objects where their components have names, else arrays. */
function member(tuple: unknown, { name }: AbiParameter, index: number): unknown {
  if (Array.isArray(tuple)) return tuple[index]
  return isObject(tuple) && name ? tuple[name] : undefined
}

/** A form in which equal values of a plain type are identical; a value of another type has one of its own. */
function comparable(type: string, value: unknown): unknown {
  if (type.startsWith('uint') || type.startsWith('int')) {
    return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value
  }
  if (type === 'string' || type === 'bool') return value
  if (value instanceof Uint8Array) return toHex(value)
  return isHex(value) ? lowerCase(value) : value
}

function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

/** An event of an ABI that can be recognised. */
export interface KnownEvent {
  readonly name: string
  readonly inputs: readonly AbiParameter[]
  /** The values of a log of this event, in the order of its inputs; `undefined` for a log of another one. */
  decode(log: Log): readonly unknown[] | undefined
  /** Canonical, such as `Transfer(address,address,uint256)`. */
  readonly signature: string
}

/** keccak-256. */
export type Hash = (data: Hex) => Promise<Hex>

/**
 * The events of an ABI.
 *
 * @throws {TypeError} when `abi` is none
 */
export async function eventsOf(abi: AbiLike): Promise<readonly KnownEvent[]> {
  // Only assertions on events need a decoder, which takes longer to load than all else here.
  const { events, parseAbi } = await import('micro-eth-signer/abi.js')
  const items = itemsOf(abi, parseAbi)
  return items.flatMap((item) => {
    const { name, inputs = [], anonymous = false } = item
    if (item.type !== 'event' || name === undefined || name === '') return []
    // The library's types follow ABIs that are known to the compiler; this one is known at run time only.
    const found = (events as (abi: readonly AbiItem[]) => Record<string, EventCoder>)([item])[name]
    if (found === undefined) return []
    const named = inputs.every((input) => input.name)
    const any = named
      ? Object.fromEntries(inputs.map((input) => [input.name, null]))
      : inputs.map(() => null)
    const [topic] = found.topics(any)
    const indexed = inputs.filter((input) => input.indexed).length
    return [
      {
        name,
        inputs,
        signature: `${name}(${inputs.map(typeOf).join()})`,
        decode({ topics, data }: Log) {
          if (topics.length !== indexed + (anonymous ? 0 : 1)) return undefined
          if (!anonymous && topics[0] !== topic) return undefined
          try {
            const values = found.decode(topics, data)
            if (Array.isArray(values)) return values
            return inputs.map((input) => Object(values)[input.name ?? ''])
          } catch {
            // Data of another event, which has the same topics only.
            return undefined
          }
        },
      },
    ]
  })
}

/** How the library encodes and decodes one event. */
interface EventCoder {
  topics(values: object): readonly (string | null)[]
  decode(topics: readonly string[], data: string): unknown
}

function itemsOf(abi: AbiLike, parse: (lines: string[]) => unknown): readonly AbiItem[] {
  const isInterface = isObject(abi) && 'formatJson' in abi && typeof abi.formatJson === 'function'
  const list: unknown = isInterface ? JSON.parse(abi.formatJson()) : abi
  if (!Array.isArray(list)) {
    throw new TypeError('abi is an array of entries or of lines, or an Interface of ethers.')
  }
  const lines = list.filter((item) => typeof item === 'string')
  // What is read from lines has the form of an ABI in JSON.
  const parsed = lines.length === 0 ? [] : (parse(lines) as AbiItem[])
  return [...list.filter((item) => typeof item !== 'string'), ...parsed]
}

/** `tuple` stands for the types of its components. */
function typeOf({ type, components = [] }: AbiParameter): string {
  if (!type.startsWith('tuple')) return type.replace(/^(u?int)(?=\[|$)/, '$1256')
  return `(${components.map(typeOf).join()})${type.slice('tuple'.length)}`
}

/** Whether the values of a log are those that a test expects, each parameter by itself. */
export async function argumentsFit(
  { inputs }: KnownEvent,
  values: readonly unknown[],
  expected: readonly unknown[],
  hash: Hash,
): Promise<boolean> {
  for (const [index, input] of inputs.entries()) {
    const wanted = expected[index]
    if (input.indexed === true && !hasFixedSize(input)) {
      if (!fits({ type: 'bytes32' }, await hashed(input, wanted, hash), values[index])) return false
    } else if (!fits(input, wanted, values[index])) return false
  }
  return true
}

/** Of what has no fixed size, a topic has the hash. */
function hasFixedSize({ type }: AbiParameter): boolean {
  return !/^(string|bytes|tuple)$|\]$/.test(type)
}

async function hashed({ type }: AbiParameter, wanted: unknown, hash: Hash): Promise<unknown> {
  if (type !== 'string' || typeof wanted !== 'string' || /^0x[0-9a-f]{64}$/i.test(wanted))
    return wanted
  return hash(`0x${Buffer.from(wanted).toString('hex')}`)
}

/** A log of this event, as text. */
export function eventText({ name, inputs }: KnownEvent, values: readonly unknown[]): string {
  const parts = inputs.map((input, index) => {
    const value = textOf(hasTopicHash(input) ? values[index] : presented(input, values[index]))
    return input.name ? `${input.name}: ${value}` : value
  })
  return `${name}(${parts.join(', ')})`
}

function hasTopicHash(input: AbiParameter): boolean {
  return input.indexed === true && !hasFixedSize(input)
}

/** Characters of a value that a message shows. */
const LONGEST = 200

/** A value of an event, as text that is safe to print. */
export function textOf(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'function') return value.name === '' ? 'as the function says' : value.name
  if (typeof value === 'string' && isHex(value)) return cut(value, LONGEST)
  const json = JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one))
  return cut(printableJson(json ?? String(value)), LONGEST)
}
