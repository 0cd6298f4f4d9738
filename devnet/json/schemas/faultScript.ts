import type { FaultKind, FaultRule, FaultScript } from '../../faults/types.ts'
import { isObject, MOST_NESTED, parseForeign } from '../../primitives/json.ts'
import {
  anything,
  at,
  choice,
  fail,
  flag,
  integer,
  listOf,
  mapped,
  number,
  objectOf,
  optional,
  type Reader,
  refuse,
  type Shape,
  text,
} from '../../primitives/reader.ts'
import { MAX_TIMER_DELAY } from '../../primitives/timers.ts'
import { address, hash32 } from '../params.ts'

/** Most rules of a script: each is looked at for each transaction. */
const MOST_RULES = 1000

/** Most blocks that a rule replaces: without `next`, it does so after each seal. */
const DEEPEST_REORG = 256

const HTTP_STATUS = 'an HTTP status from 400 to 599'

const PROBABILITY = 'a number above 0, at most 1'

const count = integer({ min: 0 })
const several = integer({ min: 1 })
const delay = integer({ min: 1, max: MAX_TIMER_DELAY, most: `at most ${MAX_TIMER_DELAY} ms` })
const status = integer({ min: 400, max: 599, least: HTTP_STATUS, most: HTTP_STATUS })
const probability = mapped(number(PROBABILITY), (value, context) =>
  value > 0 && value <= 1 ? value : refuse(context, value, PROBABILITY, 'range'),
)

const LIMITS = {
  // Nothing ever happens to block 0.
  block: optional(several),
  probability: optional(probability),
  next: optional(several),
}
const OF_TICK = { ...LIMITS, tick: optional(count) }
const OF_TRANSACTION = {
  ...OF_TICK,
  from: optional(address()),
  address: optional(address()),
  hash: optional(hash32()),
  nonce: optional(count),
}

const METHOD: Reader<string> = (value, context) => {
  if (typeof value !== 'string' || value === '') {
    return refuse(context, value, 'the name of a method')
  }
  // A rule against these could not be removed again.
  if (value.startsWith('preconf_')) return fail(context, 'methods of the clocks cannot fail')
  return value
}

const METHODS: Reader<string | string[]> = (value, context) => {
  if (!Array.isArray(value)) return METHOD(value, context)
  if (value.length === 0) return fail(context, 'want at least one method')
  return value.map((one, index) => at(context, index, METHOD, one))
}

/** A value that can be written as JSON: another one would also break `preconf_status`. */
const JSON_VALUE: Reader<unknown> = (value, context) => {
  try {
    return parseForeign(JSON.stringify(value))
  } catch {
    return fail(context, `want a value of JSON, nested at most ${MOST_NESTED} deep`)
  }
}

const OF_ANSWER = {
  ...OF_TICK,
  method: METHODS,
  from: optional(address()),
  address: optional(address()),
  hash: optional(hash32()),
}
const OF_SLICE = { ...LIMITS, index: optional(count) }

const FIELDS = {
  drop: { ...OF_TRANSACTION, at: optional(choice(['seal', 'tick'], '"seal" or "tick"')) },
  hold: { ...OF_TRANSACTION, ticks: optional(several) },
  reorder: LIMITS,
  truncate: { ...LIMITS, slices: optional(several) },
  reorg: {
    ...LIMITS,
    depth: optional(integer({ min: 1, max: DEEPEST_REORG })),
    drops: optional(flag()),
  },
  skipTick: OF_TICK,
  delayTick: { ...OF_TICK, ms: delay },
  stall: { ...OF_TICK, blocks: optional(several) },
  delaySeal: { ...LIMITS, ms: delay },
  refuseAnswer: {
    ...OF_ANSWER,
    code: optional(integer()),
    message: optional(text()),
    status: optional(status),
  },
  delayAnswer: { ...OF_ANSWER, ms: delay },
  corruptAnswer: { ...OF_ANSWER, result: optional(JSON_VALUE) },
  cutSockets: OF_TICK,
  duplicateSlice: OF_SLICE,
  loseSlice: OF_SLICE,
  swapSlices: OF_SLICE,
} satisfies Record<FaultKind, Shape>

const RULES = new Map<unknown, Reader<unknown>>(
  Object.entries(FIELDS).map(([kind, fields]) => [
    kind,
    objectOf({ fields: { kind: anything, ...fields }, isStrict: true }),
  ]),
)

const RULE: Reader<FaultRule> = (value, context) => {
  if (!isObject(value)) return refuse(context, value, 'an object')
  const read = RULES.get(value.kind)
  if (read === undefined) {
    return fail(context, `want one of ${[...RULES.keys()].join(', ')}`, 'kind')
  }
  // The reader of a kind has the fields of its type.
  return read(value, context) as FaultRule
}

const SCRIPT = objectOf({
  fields: {
    rules: listOf(RULE, 'a list', { max: MOST_RULES, length: `at most ${MOST_RULES} rules` }),
    seed: optional(integer({ min: 0, max: 2 ** 32 - 1 })),
  },
  isStrict: true,
})

/** The rules of faults, see {@link FaultScript}. */
export const faultScript = (): Reader<FaultScript> => SCRIPT
