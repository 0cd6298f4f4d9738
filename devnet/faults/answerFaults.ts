import { setTimeout } from 'node:timers/promises'
import { DevnetError, ErrorCode } from '../primitives/errors.ts'
import { isObject } from '../primitives/json.ts'
import { JsonText } from '../primitives/jsonText.ts'
import type { Random } from '../primitives/random.ts'
import { allows, type Rule, type RuleOf } from './rule.ts'

type AnswerRule = Rule<RuleOf<'refuseAnswer' | 'delayAnswer' | 'corruptAnswer'>>

export function isAnswerRule(rule: Rule): rule is AnswerRule {
  return rule.spec.kind.endsWith('Answer')
}

/** A request, as a rule sees it. */
export interface AnsweredRequest {
  readonly method: string
  readonly params: readonly unknown[]
  /** Aborts when the client hangs up or the node stops. */
  readonly signal: AbortSignal
}

/** A request, and the place of the pending block when it came. */
interface PlacedRequest extends AnsweredRequest {
  readonly block: number
  readonly tick: number
}

/** Faults of answers. */
export class AnswerFaults {
  readonly #rules: ReadonlyMap<string, readonly AnswerRule[]>
  readonly #report: (rule: AnswerRule, method: string) => void

  constructor(rules: readonly AnswerRule[], report: (rule: AnswerRule, method: string) => void) {
    const pairs = rules.flatMap((rule) => {
      const { method } = rule.spec
      return (typeof method === 'string' ? [method] : method).map((name) => ({ name, rule }))
    })
    this.#rules = new Map(
      [...Map.groupBy(pairs, ({ name }) => name)].map(([name, all]) => [
        name,
        all.map(({ rule }) => rule),
      ]),
    )
    this.#report = report
  }

  answer(request: PlacedRequest, answer: () => unknown): unknown {
    const { method, signal } = request
    const rules = this.#rules.get(method)?.filter((rule) => isFor(rule, request) && rule.fires())
    if (rules === undefined || rules.length === 0) return answer()
    for (const rule of rules) this.#report(rule, method)
    for (const { spec, index } of rules) {
      if (spec.kind !== 'refuseAnswer') continue
      const { code = ErrorCode.server, message = `${method} refused by fault ${index}` } = spec
      throw new DevnetError(code, message)
    }
    return spoiled(answer(), rules, signal)
  }
}

function isFor({ spec }: AnswerRule, { params, block, tick }: PlacedRequest): boolean {
  if (!allows(spec.block, block) || !allows(spec.tick, tick)) return false
  const { from, address, hash } = spec
  if (from !== undefined) {
    const [request] = params
    if (!isObject(request) || typeof request.from !== 'string') return false
    if (request.from.toLowerCase() !== from) return false
  }
  return [address, hash].every((text) => text === undefined || holds(params, text))
}

/** Whether a text is a part of the parameters. */
function holds(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.toLowerCase() === text
  return isObject(value) || Array.isArray(value)
    ? Object.values(value).some((one) => holds(one, text))
    : false
}

/** The answer, late or wrong. */
async function spoiled(
  answer: unknown,
  rules: readonly AnswerRule[],
  signal: AbortSignal,
): Promise<unknown> {
  let result = await answer
  for (const { spec, random } of rules) {
    if (spec.kind === 'delayAnswer') await setTimeout(spec.ms, undefined, { signal })
    if (spec.kind === 'corruptAnswer') {
      result = 'result' in spec ? spec.result : corrupted(result, random)
    }
  }
  return result
}

/** A copy of a result in which one hex digit differs; `null` if it has none. */
function corrupted(result: unknown, random: Random): unknown {
  const text = result instanceof JsonText ? result.text : JSON.stringify(result)
  const digits = [...(text ?? '').matchAll(/"0x[0-9a-fA-F]+"/g)]
  if (digits.length === 0) return null
  const { 0: value, index } = random.pick(digits)
  const at = index + 3 + random.below(value.length - 4)
  const digit = (Number.parseInt(text.charAt(at), 16) + 1 + random.below(15)) % 16
  return JSON.parse(`${text.slice(0, at)}${digit.toString(16)}${text.slice(at + 1)}`)
}
