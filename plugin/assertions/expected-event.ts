import type { Hex } from '../../devnet/index.ts'
import { isBytes } from '../../devnet/pluginApi.ts'
import { type AbiLike, argumentsFit, asText, eventsOf, type KnownEvent } from './abi-events.ts'
import { addressOf, lowerCase, quote } from './arguments.ts'
import type { Log } from './transaction-state.ts'

/** Event names of an ABI declared `as const`, or signatures; any string for other ABIs. */
export type EventName<Abi> = Abi extends readonly (infer Item)[]
  ? [Extract<Item, { readonly type: 'event'; readonly name: string }>] extends [never]
    ? string
    : // A full signature tells apart events of the same name.
        | Extract<Item, { readonly type: 'event'; readonly name: string }>['name']
        | `${string}(${string})`
  : string

export interface AbiEvent<Abi extends AbiLike = AbiLike> {
  /** Address of the contract that emits it. Default: any */
  readonly address?: string | undefined
  readonly abi: Abi
  /** Name, or, if several events share it, a signature: `Transfer(address,address,uint256)`. */
  readonly eventName: EventName<Abi>
  /**
   * Arguments by name or position; an omitted one, `undefined` and `null` match any value. Integers
   * are bigints or numbers; bytes are hex. An indexed `string` is given as text or as its hash, any
   * other indexed value without a fixed size as its hash. A function is called with the value and
   * returns whether it matches; asymmetric matchers of vitest work too. Default: any
   */
  readonly args?: Readonly<Record<string, unknown>> | readonly unknown[] | undefined
  readonly topics?: undefined
}

/** An event given by its topics, as in a filter of `eth_getLogs`; without topics, any log. */
export interface RawEvent {
  /** Address of the contract that emits it. Default: any */
  readonly address?: string | undefined
  /** By position: a topic, a list of alternatives, or `null` for any topic. Default: any log */
  readonly topics?: readonly (Hex | null | readonly Hex[])[] | undefined
  readonly abi?: undefined
  readonly eventName?: undefined
  readonly args?: undefined
}

/** The event that `toEmitBeforeSeal` and `assertEmittedBeforeSeal` look for. */
export type ExpectedEvent<Abi extends AbiLike = AbiLike> = AbiEvent<Abi> | RawEvent

interface LogPattern {
  readonly text: string
  matches(log: Log): boolean
  /** A log as text, with the name of its event if that is known. */
  describe(log: Log): string
}

/** @throws {TypeError} if `event` is malformed, or its ABI has no such event or arguments */
export async function patternOf(event: ExpectedEvent): Promise<LogPattern> {
  if (typeof event !== 'object' || event === null) {
    throw new TypeError(
      `An event is given as { abi, eventName } or { topics }, not as ${quote(event)}.`,
    )
  }
  const address = event.address === undefined ? undefined : addressOf(event.address)
  const from = address === undefined ? '' : ` of ${address}`
  const pattern = event.abi === undefined ? byTopics(event) : await byAbi(event)
  return {
    text: `${pattern.text}${from}`,
    matches: (log) =>
      (address === undefined || lowerCase(log.address) === address) && pattern.matches(log),
    describe: (log) => `${pattern.describe(log)} of ${log.address}`,
  }
}

function byTopics({ topics = [] }: RawEvent): LogPattern {
  const wanted = topics.map((topic) => {
    const choices = topic === null ? undefined : [topic].flat()
    if (choices?.every((one) => isBytes(one, 32)) === false) {
      throw new TypeError(
        `A topic is 0x and 64 hexadecimal digits, a list of such, or null, not ${quote(topic)}.`,
      )
    }
    return choices?.map(lowerCase)
  })
  const parts = wanted.map((choices) => choices?.join(' or ') ?? 'any')
  return {
    text: parts.length === 0 ? 'a log' : `a log with topics ${parts.join(', ')}`,
    matches: ({ topics: given }) =>
      wanted.every((choices, index) => {
        const topic = given[index]
        return topic !== undefined && (choices === undefined || choices.includes(topic))
      }),
    describe: rawText,
  }
}

async function byAbi({ abi, eventName, args }: AbiEvent): Promise<LogPattern> {
  const known = await eventsOf(abi)
  const candidates = known.filter(
    ({ name, signature }) => eventName === name || eventName === signature,
  )
  if (candidates.length === 0) {
    const names = known.map(({ signature }) => signature).join(', ')
    throw new TypeError(`The ABI has no event ${quote(eventName)}; it has ${names || 'none'}.`)
  }
  const expected = candidates.flatMap((candidate) => {
    const values = positional(candidate, args)
    return values === undefined ? [] : [{ candidate, values }]
  })
  if (expected.length === 0) {
    const signatures = candidates.map(({ signature }) => signature).join(' and ')
    throw new TypeError(`${signatures} has no such arguments: ${asText(args)}.`)
  }
  const name = expected[0]?.candidate.name ?? String(eventName)
  return {
    text: args === undefined ? name : `${name}(${argumentText(args)})`,
    matches: (log) =>
      expected.some(({ candidate, values }) => {
        const decoded = candidate.decode(log)
        return decoded !== undefined && argumentsFit(candidate, decoded, values)
      }),
    describe(log) {
      for (const event of known) {
        const text = event.textOf(log)
        if (text !== undefined) return text
      }
      return rawText(log)
    },
  }
}

/** The expected arguments in the order of the inputs; `undefined` if the event lacks one. */
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

/** `Array.isArray` does not narrow the type of a readonly array. */
function isList(args: object): args is readonly unknown[] {
  return Array.isArray(args)
}

function argumentText(args: NonNullable<AbiEvent['args']>): string {
  const text = (value: unknown) => (value === undefined || value === null ? 'any' : asText(value))
  if (isList(args)) return args.map(text).join(', ')
  return Object.entries(args)
    .map(([name, value]) => `${name}: ${text(value)}`)
    .join(', ')
}

function rawText({ topics: [topic] }: Log): string {
  return topic === undefined ? 'a log without topics' : `a log with topic ${topic}`
}
