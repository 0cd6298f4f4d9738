import { InvalidParamsError, LimitError } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import type {
  AtomicRule,
  AtomicStatus,
  PendingRequest,
  Policy,
  PolicyChange,
  PolicyDecision,
  PolicyRule,
} from '../types.ts'

const MAX_RULES = 1000

type Subject = Pick<PendingRequest, 'method' | 'origin'> & { readonly chainId: Hex }

/** Decides in place of the user. */
export class PolicyBook {
  #default: PolicyDecision
  /** Rules in the order they were added, each with the number of requests it still applies to. */
  #rules: { readonly rule: PolicyRule; left: number }[] = []

  #atomic: readonly AtomicRule[]

  /** @param atomic - Default: `unsupported` */
  constructor(byDefault: PolicyDecision, atomic: AtomicStatus = 'unsupported') {
    this.#default = byDefault
    this.#atomic = [{ status: atomic }]
  }

  get policy(): Policy {
    return {
      default: this.#default,
      rules: this.#rules.map(({ rule, left }) =>
        Number.isFinite(left) ? { ...rule, times: left } : rule,
      ),
      ...(this.#atomic.every(({ status }) => status === 'unsupported')
        ? {}
        : { atomic: this.#atomic }),
    }
  }

  /** @throws {LimitError} if the policy would have too many rules */
  change({ clear = false, default: byDefault, add = [], atomic }: PolicyChange): Policy {
    const added: readonly PolicyRule[] = [add].flat()
    const kept = clear ? [] : this.#rules
    if (Math.max(kept.length + added.length, this.#atomic.length) > MAX_RULES) {
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
    const [first = { status: 'unsupported' }, ...others] = this.#atomic
    const rules = clear ? [] : others
    if (typeof atomic === 'string') this.#atomic = [{ status: atomic }, ...rules]
    else this.#atomic = [first, ...rules, ...(atomic === undefined ? [] : [atomic])]
    return this.policy
  }

  /** Returns the rule for a request and uses up one of its `times`; without a rule, the default. */
  decide(subject: Subject): PolicyRule {
    const entry = this.#find(subject)
    if (entry === undefined) return { decision: this.#default }
    entry.left--
    if (entry.left === 0) this.#rules = this.#rules.filter((one) => one !== entry)
    return entry.rule
  }

  /** Support for atomic batches that a client sees on a chain. */
  atomic(subject: Omit<Subject, 'method'>): AtomicStatus {
    const rule = this.#atomic.findLast((one) => matches(one, { ...subject, method: '' }))
    return rule?.status ?? 'unsupported'
  }

  /** The rule that {@link decide} returns next for such a request. */
  next(subject: Subject): PolicyRule {
    return this.#find(subject)?.rule ?? { decision: this.#default }
  }

  #find(subject: Subject): { readonly rule: PolicyRule; left: number } | undefined {
    const matching = this.#rules.filter(({ rule }) => matches(rule, subject))
    return matching.find(({ left }) => Number.isFinite(left)) ?? matching.at(-1)
  }
}

function matches(
  rule: Omit<PolicyRule, 'decision'>,
  { method, chainId, origin }: Subject,
): boolean {
  return (
    (rule.method === undefined || rule.method === method) &&
    (rule.chainId === undefined || rule.chainId.toLowerCase() === chainId) &&
    (rule.origin === undefined || rule.origin === origin)
  )
}
