import type { Hex } from '../primitives/hex.ts'
import { getOrCreate } from '../primitives/memo.ts'
import type { Rule, RuleOf } from './rule.ts'

/** A transaction that ticks pass by. */
interface Held {
  readonly rule: Rule<RuleOf<'hold'>>
  /** Number of ticks that are still to pass it by. */
  readonly left: number
}

/** A span of virtual time, in ms, in which something is late. */
interface Late {
  readonly since: number
  readonly until: number
}

interface Stall {
  readonly rule: Rule<RuleOf<'stall'>>
  /** Number of seals that are still to come. */
  readonly seals: number
}

/** Memory of rules from one tick or seal to the next. */
export class FaultMemory {
  readonly #isWaiting: (hash: Hex) => boolean
  /** Transactions held in the mempool. */
  readonly held = new Map<Hex, Held>()
  /** Transactions that rules of `drop` and `hold` have decided on. */
  readonly #decided = new Map<Rule, Set<Hex>>()
  /** Times at which no tick executes anything. */
  lateTick: Late | undefined
  /** Times at which the block of this number is not sealed by the clock. */
  lateSeal: (Late & { readonly block: number }) | undefined
  /**
   * Number of ticks of a block that have executed nothing; they are not among those of the view.
   */
  omitted = { block: 0, ticks: 0 }
  /** Number of ticks that the block sealed last has had, those included. */
  sealedTicks = 0
  stall: Stall | undefined

  constructor(isWaiting: (hash: Hex) => boolean) {
    this.#isWaiting = isWaiting
  }

  hasDecided(rule: Rule, hash: Hex): boolean {
    return this.#decided.get(rule)?.has(hash) === true
  }

  decide(rule: Rule, hash: Hex): void {
    getOrCreate(this.#decided, rule, () => new Set()).add(hash)
  }

  /** To be called with each seal: forgets what it knows of transactions that do not wait. */
  endBlock(): void {
    for (const hash of this.held.keys()) if (!this.#isWaiting(hash)) this.held.delete(hash)
    for (const [rule, hashes] of this.#decided) {
      if (rule.spec.kind === 'drop') hashes.clear()
      else for (const hash of hashes) if (!this.#isWaiting(hash)) hashes.delete(hash)
    }
  }

  /** To be called if the pending block is another one of the same number. */
  endBuild(): void {
    this.endBlock()
    this.omitted = { block: 0, ticks: 0 }
  }

  /** To be called when the chain and its time are replaced. */
  reset(): void {
    this.endBuild()
    this.lateTick = undefined
    this.lateSeal = undefined
    this.stall = undefined
  }
}
