import type * as z from 'zod'
import type { Hex } from '../../primitives/hex.ts'
import type { LogFilter } from '../logMatch.ts'
import {
  address,
  blockNumberReference,
  type Context,
  fail,
  hash32,
  nested,
  reader,
  want,
} from '../params.ts'
import { listOf, mapped, objectOf } from './containers.ts'

// Base's limits; they bound the work per log.
const MAX_ADDRESSES = 1000
const MAX_TOPICS_IN_SLOT = 1000
// A log has at most 4 topics (LOG4).
const MAX_TOPIC_SLOTS = 4

/** Filter of logs; unknown fields are ignored, and `null` means absent. */
export const logFilter = (): z.ZodType<LogFilter> => LOG_FILTER

const ADDRESSES = reader((value, context): readonly Hex[] => {
  if (!Array.isArray(value)) return [nested(address(), value, context)]
  if (value.length > MAX_ADDRESSES) {
    return fail(context, `too many filter addresses: max ${MAX_ADDRESSES}, got ${value.length}`)
  }
  return nested(ADDRESS_LIST, value, context)
})

const ADDRESS_LIST = listOf(address(), 'a list of addresses')

const TOPICS = reader((value, context): LogFilter['topics'] => {
  if (!Array.isArray(value)) return fail(context, want('a list of topics', value))
  if (value.length > MAX_TOPIC_SLOTS) {
    return fail(context, `exceed max topics: max ${MAX_TOPIC_SLOTS}, got ${value.length}`)
  }
  return value.map((slot: unknown, index) => readSlot(slot, index, context))
})

function readSlot(slot: unknown, index: number, context: Context): readonly Hex[] | null {
  if (slot === null) return null
  if (!Array.isArray(slot)) return [nested(hash32(), slot, context, index)]
  if (slot.length > MAX_TOPICS_IN_SLOT) {
    return fail(
      context,
      `too many filter topics in slot ${index}: max ${MAX_TOPICS_IN_SLOT}, got ${slot.length}`,
    )
  }
  // As in geth, `null` among alternatives admits every topic, and so does an empty list.
  if (slot.length === 0 || slot.includes(null)) return null
  return nested(TOPIC_LIST, slot, context, index)
}

const TOPIC_LIST = listOf(hash32(), 'a list of topics')

const FIELDS = objectOf({
  required: {},
  optional: {
    blockHash: hash32(),
    fromBlock: blockNumberReference(),
    toBlock: blockNumberReference(),
    address: ADDRESSES,
    topics: TOPICS,
  },
})

const LOG_FILTER: z.ZodType<LogFilter> = mapped(FIELDS, (fields, context): LogFilter => {
  const { address, topics, ...range } = fields
  if (range.blockHash !== undefined && (range.fromBlock ?? range.toBlock) !== undefined) {
    return fail(
      context,
      'cannot specify both blockHash and fromBlock/toBlock, choose one or the other',
    )
  }
  return { ...range, addresses: address ?? [], topics: topics ?? [] }
})
