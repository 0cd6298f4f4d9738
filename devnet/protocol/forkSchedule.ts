import { type ForkRules, forkRules, type HardforkName } from './forks.ts'

/** Rules, and when they start; with two starts, both must be reached. */
export interface ForkStep {
  readonly rules: ForkRules
  /** Number of the first block. */
  readonly block?: bigint | undefined
  /** Timestamp of the first block, or of one before it; s since the epoch. */
  readonly time?: bigint | undefined
}

/** A chain's side in the DAO fork (EIP-779). */
export interface DaoFork {
  /** Number of its first block. */
  readonly block: bigint
  /** Whether the ether was moved; if not, blocks must not claim that it was. */
  readonly support: boolean
}

/** The rules of each block of a chain. */
export class ForkSchedule {
  /** Rules of the genesis block. */
  readonly first: ForkRules
  /** Later rules, in the order in which they begin. */
  readonly changes: readonly ForkStep[]
  readonly dao: DaoFork | undefined

  constructor(first: ForkRules, changes: readonly ForkStep[], dao?: DaoFork) {
    this.first = first
    this.changes = changes
    this.dao = dao
  }

  /** The same rules for every block. */
  static constant(hardfork: HardforkName): ForkSchedule {
    return new ForkSchedule(forkRules(hardfork), [])
  }

  /** Rules of the block with this number and timestamp. */
  at(number: bigint, timestamp: bigint): ForkRules {
    let rules = this.first
    for (const step of this.changes) {
      if (step.block !== undefined && number < step.block) break
      if (step.time !== undefined && timestamp < step.time) break
      rules = step.rules
    }
    return rules
  }

  /** The rules that apply last. */
  get newest(): ForkRules {
    return this.changes.at(-1)?.rules ?? this.first
  }
}
