import {
  type AbiEntry,
  type AbiLimits,
  type AbiParameter,
  type AbiValue,
  decodeParameters,
} from '../../primitives/abi.ts'
import { fromHex, type Hex } from '../../primitives/hex.ts'
import type { NamingSource } from './contractNames.ts'
import { type Describe, LIMITS, toArgument } from './decodeCall.ts'
import type { DecodedArgument } from './types.ts'

export interface ShownLog {
  readonly topics: readonly Hex[]
  readonly data: Hex
}

/** The arguments of an event in their order; `null` if the log does not fit. */
export function decodeEvent(
  describe: Describe,
  entry: AbiEntry,
  log: ShownLog,
): readonly DecodedArgument[] | null {
  const values = eventValues(entry, log, LIMITS)?.values()
  if (values === undefined) return null
  return entry.inputs.flatMap((input) => {
    const { value } = values.next()
    if (value === undefined) return []
    const { name, type } = input
    return isHashed(input)
      ? { name, type, value: `keccak256 ${value.value}` }
      : toArgument(describe, value)
  })
}

/** The event that a log is of, if that is not anonymous. */
export function findEvent(
  source: NamingSource,
  abi: readonly AbiEntry[],
  log: ShownLog,
): AbiEntry | undefined {
  return abi.find((entry) => !entry.anonymous && isOf(source, entry, log))
}

/** True if a log can be of an event: by its name, its types, and how many of them are topics. */
export function isOf(source: NamingSource, entry: AbiEntry, { topics }: ShownLog): boolean {
  const indexed = entry.inputs.filter((input) => input.indexed).length
  return (
    entry.kind === 'event' &&
    topics.length === indexed + (entry.anonymous ? 0 : 1) &&
    (entry.anonymous || topics[0] === source.topicOf(entry))
  )
}

/** True if the topic is only the hash of the value, as of what may be longer than a word. */
function isHashed({ type, indexed }: AbiParameter): boolean {
  return indexed === true && /^(?:string|bytes)$|\]$|\)$/.test(type)
}

/**
 * The values of an event in the order of its inputs; of one that is hashed, the hash.
 *
 * @returns `undefined` if the log does not fit
 */
export function eventValues(
  { inputs, anonymous }: AbiEntry,
  { topics, data }: ShownLog,
  limits: AbiLimits,
): readonly AbiValue[] | undefined {
  const words = inputs
    .filter(({ indexed }) => indexed)
    .map((input) => (isHashed(input) ? { ...input, type: 'bytes32' } : input))
  const given = (anonymous ? topics : topics.slice(1)).map((topic) => topic.slice(2)).join('')
  const others = inputs.filter(({ indexed }) => !indexed)
  const fromTopics = decodeParameters(words, fromHex(`0x${given}`), limits)?.values()
  const fromData = decodeParameters(others, fromHex(data), limits)?.values()
  if (fromTopics === undefined || fromData === undefined) return undefined
  return inputs.flatMap(({ indexed }) => (indexed ? fromTopics : fromData).next().value ?? [])
}
