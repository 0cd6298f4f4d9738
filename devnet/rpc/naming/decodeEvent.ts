import type { AbiEntry, AbiParameter } from '../../primitives/abi.ts'
import { type Hex, toHex } from '../../primitives/hex.ts'
import { memoize } from '../../primitives/memo.ts'
import { type Describe, decodeArguments } from './decodeCall.ts'
import type { DecodedArgument } from './types.ts'

export interface ShownLog {
  readonly topics: readonly Hex[]
  readonly data: Hex
}

/** The first topic of an event that is not anonymous. */
export type TopicOf = (entry: AbiEntry) => Hex

/** The arguments of an event in their order; `null` if the log does not fit. */
export function decodeEvent(
  describe: Describe,
  { inputs }: AbiEntry,
  { topics, data }: ShownLog,
): readonly DecodedArgument[] | null {
  const others = inputs.filter(({ indexed }) => !indexed)
  const decoded = decodeArguments(describe, others, data)
  if (decoded === null) return null
  const rest = [...decoded]
  const given = topics.slice(1)
  const list: DecodedArgument[] = []
  for (const input of inputs) {
    const [value] =
      input.indexed === true ? (topicValue(describe, input, given.shift()) ?? []) : [rest.shift()]
    if (value === undefined) return null
    list.push(value)
  }
  return list
}

export function createTopicOf(keccak256: (message: Uint8Array) => Uint8Array): TopicOf {
  return memoize(({ signature }: AbiEntry) => toHex(keccak256(Buffer.from(signature))))
}

/** The event that a log is of: by its name, its types, and how many of them are topics. */
export function findEvent(
  abi: readonly AbiEntry[],
  { topics }: ShownLog,
  topicOf: TopicOf,
): AbiEntry | undefined {
  return abi.find(
    (entry) =>
      entry.kind === 'event' &&
      topicOf(entry) === topics[0] &&
      entry.inputs.filter(({ indexed }) => indexed).length === topics.length - 1,
  )
}

function topicValue(
  describe: Describe,
  input: AbiParameter,
  topic: Hex = '0x',
): readonly DecodedArgument[] | null {
  // Of what may be longer than a word, the topic is only the hash.
  const isHash = /^(?:string|bytes)$|\]$|\)$/.test(input.type)
  if (!isHash) return decodeArguments(describe, [input], topic)
  return [{ name: input.name, type: input.type, value: `keccak256 ${topic}` }]
}
