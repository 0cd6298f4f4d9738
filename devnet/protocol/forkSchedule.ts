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
  readonly dao: DaoFork | undefined
  readonly #first: ForkRules
  readonly #later: readonly ForkStep[]

  private constructor(first: ForkRules, later: readonly ForkStep[], dao?: DaoFork) {
    this.#first = first
    this.#later = later
    this.dao = dao
  }

  /** The same rules for every block. */
  static constant(hardfork: HardforkName): ForkSchedule {
    return new ForkSchedule(forkRules(hardfork), [])
  }

  /**
   * Rules that change.
   *
   * @param first - of the genesis block
   * @param later - in the order in which they begin
   */
  static of(first: ForkRules, later: readonly ForkStep[], dao?: DaoFork): ForkSchedule {
    return new ForkSchedule(first, later, dao)
  }

  /** Rules of the block with this number and timestamp. */
  at(number: bigint, timestamp: bigint): ForkRules {
    // Fast for a plain devnet, which asks at each seal.
    if (this.#later.length === 0) return this.#first
    let { rules }: { rules: ForkRules } = { rules: this.#first }
    for (const step of this.#later) {
      if (step.block !== undefined && number < step.block) break
      if (step.time !== undefined && timestamp < step.time) break
      rules = step.rules
    }
    return rules
  }

  /** The rules of the genesis block. */
  get first(): ForkRules {
    return this.#first
  }

  /** The rules that apply last. */
  get newest(): ForkRules {
    return this.#later.at(-1)?.rules ?? this.#first
  }

  /** All steps but the rules of the genesis block, in their order. */
  get changes(): readonly ForkStep[] {
    return this.#later
  }
}
