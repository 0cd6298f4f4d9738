import * as z from 'zod'
import type { FaultKind, FaultRule, FaultScript } from '../../faults/types.ts'
import { isObject, MOST_NESTED, parseForeign } from '../../primitives/json.ts'
import { MAX_TIMER_DELAY } from '../../primitives/timers.ts'
import { address, fail, flag, hash32, nested, reader, text, want, wanted } from '../params.ts'

/** Most rules of a script: each is looked at for each transaction. */
const MOST_RULES = 1000

/** Most blocks that a rule replaces: without `next`, it does so after each seal. */
const DEEPEST_REORG = 256

const HTTP_STATUS = 'want an HTTP status from 400 to 599'

const integer = z.int(wanted('an integer'))
const count = integer.min(0, 'want at least 0')
const several = integer.min(1, 'want at least 1')
const delay = several.max(MAX_TIMER_DELAY, `want at most ${MAX_TIMER_DELAY} ms`)
const status = integer.min(400, HTTP_STATUS).max(599, HTTP_STATUS)
const probability = z
  .number(wanted('a number above 0, at most 1'))
  .refine((value) => value > 0 && value <= 1, 'want a number above 0, at most 1')

const LIMITS = {
  // Nothing ever happens to block 0.
  block: several.optional(),
  probability: probability.optional(),
  next: several.optional(),
}
const OF_TICK = { ...LIMITS, tick: count.optional() }
const OF_TRANSACTION = {
  ...OF_TICK,
  from: address().optional(),
  address: address().optional(),
  hash: hash32().optional(),
  nonce: count.optional(),
}

const METHOD = reader((value, context): string => {
  if (typeof value !== 'string' || value === '') {
    return fail(context, want('the name of a method', value))
  }
  // Otherwise a rule could not be taken back.
  if (value.startsWith('preconf_')) return fail(context, 'methods of the clocks cannot fail')
  return value
})

const METHODS = reader((value, context): string | string[] => {
  if (!Array.isArray(value)) return nested(METHOD, value, context)
  if (value.length === 0) return fail(context, 'want at least one method')
  return value.map((one, index) => nested(METHOD, one, context, index))
})

/** As it comes out of the answer: a value that cannot be written would spoil the status too. */
const JSON_VALUE = reader((value, context): unknown => {
  try {
    return parseForeign(JSON.stringify(value))
  } catch {
    return fail(context, `want a value of JSON, nested at most ${MOST_NESTED} deep`)
  }
})

const OF_ANSWER = {
  ...OF_TICK,
  method: METHODS,
  from: address().optional(),
  address: address().optional(),
  hash: hash32().optional(),
}
const OF_SLICE = { ...LIMITS, index: count.optional() }

/** The fields of each kind. */
const FIELDS = {
  drop: { ...OF_TRANSACTION, at: z.enum(['seal', 'tick'], wanted('"seal" or "tick"')).optional() },
  hold: { ...OF_TRANSACTION, ticks: several.optional() },
  reorder: LIMITS,
  truncate: { ...LIMITS, slices: several.optional() },
  reorg: {
    ...LIMITS,
    depth: several.max(DEEPEST_REORG, `want at most ${DEEPEST_REORG}`).optional(),
    drops: flag().optional(),
  },
  skipTick: OF_TICK,
  delayTick: { ...OF_TICK, ms: delay },
  stall: { ...OF_TICK, blocks: several.optional() },
  delaySeal: { ...LIMITS, ms: delay },
  refuseAnswer: {
    ...OF_ANSWER,
    code: integer.optional(),
    message: text().optional(),
    status: status.optional(),
  },
  delayAnswer: { ...OF_ANSWER, ms: delay },
  corruptAnswer: { ...OF_ANSWER, result: JSON_VALUE.optional() },
  cutSockets: OF_TICK,
  duplicateSlice: OF_SLICE,
  loseSlice: OF_SLICE,
  swapSlices: OF_SLICE,
} satisfies Record<FaultKind, Readonly<Record<string, z.ZodType>>>

const RULES = new Map<unknown, z.ZodType>(
  Object.entries(FIELDS).map(([kind, fields]) => [
    kind,
    z.strictObject({ kind: z.literal(kind), ...fields }, wanted('an object')),
  ]),
)

const RULE = reader((value, context): FaultRule => {
  if (!isObject(value)) return fail(context, want('an object', value))
  const schema = RULES.get(value.kind)
  if (schema === undefined) {
    return fail(context, `want one of ${[...RULES.keys()].join(', ')}`, ['kind'])
  }
  // The schema of a kind has the fields of its type.
  return nested(schema, value, context) as FaultRule
})

const SCRIPT = z.strictObject(
  {
    rules: z.array(RULE, wanted('a list')).max(MOST_RULES, `want at most ${MOST_RULES} rules`),
    seed: count.max(2 ** 32 - 1, `want at most ${2 ** 32 - 1}`).optional(),
  },
  wanted('an object'),
)

/** The rules of faults, see {@link FaultScript}. */
export const faultScript = (): z.ZodType<FaultScript> => SCRIPT
