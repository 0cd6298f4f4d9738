import type { Hex } from '../../primitives/hex.ts'
import {
  at,
  fail,
  listOf,
  mapped,
  objectOf,
  type ReadContext,
  type Reader,
  refuse,
} from '../../primitives/reader.ts'
import type { LogFilter } from '../logMatch.ts'
import { address, blockNumberReference, hash32 } from '../params.ts'

// Base's limits; they bound the work per log.
const MAX_ADDRESSES = 1000
const MAX_TOPICS_IN_SLOT = 1000
// A log has at most 4 topics (LOG4).
const MAX_TOPIC_SLOTS = 4

/** Filter of logs; unknown fields are ignored, and `null` means absent. */
export const logFilter = (): Reader<LogFilter> => LOG_FILTER

const ADDRESSES: Reader<readonly Hex[]> = (value, context) => {
  if (!Array.isArray(value)) return [address()(value, context)]
  if (value.length > MAX_ADDRESSES) {
    return fail(context, `too many filter addresses: max ${MAX_ADDRESSES}, got ${value.length}`)
  }
  return ADDRESS_LIST(value, context)
}

const ADDRESS_LIST = listOf(address(), 'a list of addresses')

const TOPICS: Reader<LogFilter['topics']> = (value, context) => {
  if (!Array.isArray(value)) return refuse(context, value, 'a list of topics')
  if (value.length > MAX_TOPIC_SLOTS) {
    return fail(context, `exceed max topics: max ${MAX_TOPIC_SLOTS}, got ${value.length}`)
  }
  return value.map((choices: unknown, index) => readTopics(choices, index, context))
}

/** Reads the topics that a place of a log may have; `null` if it may have any. */
function readTopics(choices: unknown, index: number, context: ReadContext): readonly Hex[] | null {
  if (choices === null) return null
  if (!Array.isArray(choices)) return [at(context, index, hash32(), choices)]
  if (choices.length > MAX_TOPICS_IN_SLOT) {
    return fail(
      context,
      `too many filter topics in slot ${index}: max ${MAX_TOPICS_IN_SLOT}, got ${choices.length}`,
    )
  }
  // As in geth, `null` among alternatives admits every topic, and so does an empty list.
  if (choices.length === 0 || choices.includes(null)) return null
  return at(context, index, TOPIC_LIST, choices)
}

const TOPIC_LIST = listOf(hash32(), 'a list of topics')

const FIELDS = objectOf({
  optional: {
    blockHash: hash32(),
    fromBlock: blockNumberReference(),
    toBlock: blockNumberReference(),
    address: ADDRESSES,
    topics: TOPICS,
  },
})

const LOG_FILTER: Reader<LogFilter> = mapped(FIELDS, (fields, context): LogFilter => {
  const { address, topics, ...range } = fields
  if (range.blockHash !== undefined && (range.fromBlock ?? range.toBlock) !== undefined) {
    return fail(
      context,
      'cannot specify both blockHash and fromBlock/toBlock, choose one or the other',
    )
  }
  return { ...range, addresses: address ?? [], topics: topics ?? [] }
})
