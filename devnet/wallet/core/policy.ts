import { InvalidParamsError, LimitError } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { PendingRequest, Policy, PolicyChange, PolicyDecision, PolicyRule } from '../types.ts'

const MAX_RULES = 1000

type Subject = Pick<PendingRequest, 'method' | 'origin'> & { readonly chainId: Hex }

/** Decides in place of the user. */
export class PolicyBook {
  #default: PolicyDecision
  /** Rules in the order they were added, each with the number of requests it still applies to. */
  #rules: { readonly rule: PolicyRule; left: number }[] = []

  constructor(byDefault: PolicyDecision) {
    this.#default = byDefault
  }

  get policy(): Policy {
    return {
      default: this.#default,
      rules: this.#rules.map(({ rule, left }) =>
        Number.isFinite(left) ? { ...rule, times: left } : rule,
      ),
    }
  }

  /** @throws {LimitError} if the policy would have too many rules */
  change({ clear = false, default: byDefault, add = [] }: PolicyChange): Policy {
    const added: readonly PolicyRule[] = [add].flat()
    const kept = clear ? [] : this.#rules
    if (kept.length + added.length > MAX_RULES) {
      throw new LimitError(`a policy has at most ${MAX_RULES} rules: clear it first`)
    }
    for (const { times } of added) {
      if (times === undefined || (Number.isSafeInteger(times) && times > 0)) continue
      throw new InvalidParamsError('times of a rule must be a positive integer')
    }
    this.#rules = [
      ...kept,
      ...added.map((rule) => ({ rule, left: rule.times ?? Number.POSITIVE_INFINITY })),
    ]
    this.#default = byDefault ?? this.#default
    return this.policy
  }

  /** Returns the rule for a request and uses up one of its `times`; without a rule, the default. */
  decide(subject: Subject): PolicyRule {
    const matching = this.#rules.filter(({ rule }) => matches(rule, subject))
    const limited = matching.find(({ left }) => Number.isFinite(left))
    const entry = limited ?? matching.at(-1)
    if (entry === undefined) return { decision: this.#default }
    entry.left--
    if (entry.left === 0) this.#rules = this.#rules.filter((one) => one !== entry)
    return entry.rule
  }
}

function matches(rule: PolicyRule, { method, chainId, origin }: Subject): boolean {
  return (
    (rule.method === undefined || rule.method === method) &&
    (rule.chainId === undefined || rule.chainId.toLowerCase() === chainId) &&
    (rule.origin === undefined || rule.origin === origin)
  )
}
