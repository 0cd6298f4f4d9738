import type { Hex } from '../../devnet/types.ts'
import {
  argumentsFit,
  eventsOf,
  eventText,
  type Hash,
  type KnownEvent,
  textOf,
} from './abi-events.ts'
import type { AbiEvent, ExpectedEvent, RawEvent } from './event.ts'
import type { Ask } from './node.ts'
import type { Log } from './sighting.ts'
import { addressOf, isHex, lowerCase, shown } from './subject.ts'

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
