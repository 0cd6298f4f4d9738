import type { Hex } from '../../devnet/primitives/hex.ts'
import {
  argumentsFit,
  eventsOf,
  eventText,
  type Hash,
  type KnownEvent,
  textOf,
} from './abi-events.ts'
import type { Ask } from './node.ts'
import type { Log } from './sighting.ts'
import { addressOf, isHex, lowerCase, shown } from './subject.ts'

/** A parameter of an event, as in an ABI; those of viem, ethers, Hardhat's artifacts and solc fit. */
export interface AbiParameter {
  readonly type: string
  readonly name?: string | undefined
  readonly indexed?: boolean | undefined
  /** Of a tuple. */
  readonly components?: readonly AbiParameter[] | undefined
}

/** An entry of an ABI. */
export interface AbiItem {
  readonly type: string
  readonly name?: string | undefined
  readonly inputs?: readonly AbiParameter[] | undefined
  readonly anonymous?: boolean | undefined
}

/**
 * An ABI as JSON, lines such as `event Transfer(address indexed from, address indexed to, uint256 value)`, or an
 * `Interface` of ethers.
 */
export type AbiLike = readonly (AbiItem | string)[] | { formatJson(): string }

/** The names of the events of an ABI that is written `as const`; any text for other ABIs. */
export type EventName<Abi> = Abi extends readonly (infer Item)[]
  ? [Extract<Item, { readonly type: 'event'; readonly name: string }>] extends [never]
    ? string
    : // A whole signature names one of several events of the same name.
        | Extract<Item, { readonly type: 'event'; readonly name: string }>['name']
        | `${string}(${string})`
  : string

/** An event by its ABI. */
export interface AbiEvent<Abi extends AbiLike = AbiLike> {
  /** Contract that emits it. Default: any */
  readonly address?: string | undefined
  readonly abi: Abi
  /** Name, or whole signature such as `Transfer(address,address,uint256)` where events share a name. */
  readonly eventName: EventName<Abi>
  /**
   * Arguments by name, or in their order; those left out, `undefined` or `null` may be any. Integers are bigints or
   * numbers; bytes are hexadecimal; an indexed `string` is compared by its hash, other indexed values that have no
   * fixed size are given as their hash. Functions and asymmetric matchers decide by themselves. Default: any
   */
  readonly args?: Readonly<Record<string, unknown>> | readonly unknown[] | undefined
  readonly topics?: undefined
}

/** An event by its topics, as in a filter of `eth_getLogs`; without topics, any log. */
export interface RawEvent {
  /** Contract that emits it. Default: any */
  readonly address?: string | undefined
  /** Each one is a topic, a list of which one has to be there, or `null` for any. Default: any */
  readonly topics?: readonly (Hex | null | readonly Hex[])[] | undefined
  readonly abi?: undefined
  readonly eventName?: undefined
  readonly args?: undefined
}

/** The event that `toEmitBeforeSeal` looks for. */
export type ExpectedEvent<Abi extends AbiLike = AbiLike> = AbiEvent<Abi> | RawEvent

/** Recognises the logs that a test expects. */
export interface LogPattern {
  /** What is expected, as text. */
  readonly text: string
  matches(log: Log): Promise<boolean>
  /** A log, by its event where that is known. */
  describe(log: Log): string
}

/** @throws {TypeError} when `event` is none, or names one that the ABI does not have */
export async function patternOf(ask: Ask, event: ExpectedEvent): Promise<LogPattern> {
  if (typeof event !== 'object' || event === null) {
    throw new TypeError(
      `An event is given as { abi, eventName } or { topics }, not as ${shown(event)}.`,
    )
  }
  const address = event.address === undefined ? undefined : addressOf(event.address)
  const from = address === undefined ? '' : ` of ${address}`
  const pattern = event.abi === undefined ? byTopics(event) : await byAbi(ask, event)
  return {
    text: `${pattern.text}${from}`,
    matches: async (log) =>
      (address === undefined || lowerCase(log.address) === address) && pattern.matches(log),
    describe: (log) => `${pattern.describe(log)} of ${log.address}`,
  }
}

function byTopics({ topics = [] }: RawEvent): LogPattern {
  const wanted = topics.map((topic) => {
    const choices = topic === null ? undefined : [topic].flat()
    if (choices?.every((one) => isHex(one) && one.length === 66) === false) {
      throw new TypeError(
        `A topic is 0x and 64 hexadecimal digits, a list of such, or null, not ${shown(topic)}.`,
      )
    }
    return choices?.map(lowerCase)
  })
  const parts = wanted.map((choices) => choices?.join(' or ') ?? 'any')
  return {
    text: parts.length === 0 ? 'a log' : `a log with topics ${parts.join(', ')}`,
    matches: async ({ topics: given }) =>
      wanted.every((choices, index) => {
        const topic = given[index]
        return topic !== undefined && (choices === undefined || choices.includes(topic))
      }),
    describe: rawText,
  }
}

async function byAbi(ask: Ask, { abi, eventName, args }: AbiEvent): Promise<LogPattern> {
  const known = await eventsOf(abi)
  const candidates = known.filter(
    ({ name, signature }) => eventName === name || eventName === signature,
  )
  if (candidates.length === 0) {
    const names = known.map(({ signature }) => signature).join(', ')
    throw new TypeError(`The ABI has no event ${shown(eventName)}; it has ${names || 'none'}.`)
  }
  const expected = candidates.flatMap((candidate) => {
    const values = positional(candidate, args)
    return values === undefined ? [] : [{ candidate, values }]
  })
  if (expected.length === 0) {
    const signatures = candidates.map(({ signature }) => signature).join(' and ')
    throw new TypeError(`${signatures} has no such arguments: ${textOf(args)}.`)
  }
  // The methods that hash answers bytes.
  const hash: Hash = async (data) => (await ask('web3_sha3', data)) as Hex
  const name = expected[0]?.candidate.name ?? String(eventName)
  return {
    text: args === undefined ? name : `${name}(${argumentText(args)})`,
    async matches(log) {
      for (const { candidate, values } of expected) {
        const decoded = candidate.decode(log)
        if (decoded !== undefined && (await argumentsFit(candidate, decoded, values, hash)))
          return true
      }
      return false
    },
    describe(log) {
      for (const event of known) {
        const decoded = event.decode(log)
        if (decoded !== undefined) return eventText(event, decoded)
      }
      return rawText(log)
    },
  }
}

/** The expected arguments in the order of the inputs; `undefined` where the event does not have them. */
function positional(
  { inputs }: KnownEvent,
  args: AbiEvent['args'],
): readonly unknown[] | undefined {
  if (args === undefined) return []
  if (isList(args)) return args.length > inputs.length ? undefined : args
  const names = inputs.map(({ name }) => name)
  if (!Object.keys(args).every((name) => names.includes(name))) return undefined
  return names.map((name) => (name ? args[name] : undefined))
}

/** `Array.isArray` does not tell a readonly array from an object. */
function isList(args: object): args is readonly unknown[] {
  return Array.isArray(args)
}

function argumentText(args: NonNullable<AbiEvent['args']>): string {
  const text = (value: unknown) => (value === undefined || value === null ? 'any' : textOf(value))
  if (isList(args)) return args.map(text).join(', ')
  return Object.entries(args)
    .map(([name, value]) => `${name}: ${text(value)}`)
    .join(', ')
}

function rawText({ topics: [topic] }: Log): string {
  return topic === undefined ? 'a log without topics' : `a log with topic ${topic}`
}
