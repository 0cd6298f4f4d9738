import { type ForkRules, forkRules, type HardforkName, sharedRules } from './forks.ts'

/** Rules of a node that can differ from those of its hardforks. */
export type ForkLimits = Partial<
  Pick<ForkRules, 'codeSizeLimit' | 'transactionGasCap' | 'opStack' | 'baseTime'>
>

/** Rules, and when they start. If `block` and `time` are given, both must be reached. */
export interface ForkStep {
  readonly rules: ForkRules
  /** Lowest number of a block under these rules. */
  readonly block?: bigint | undefined
  /** Lowest timestamp of a block under these rules, in s since the epoch. */
  readonly time?: bigint | undefined
}

export class ForkSchedule {
  readonly first: ForkRules
  /** Later rules, in the order in which they begin. */
  readonly changes: readonly ForkStep[]

  constructor(first: ForkRules, changes: readonly ForkStep[]) {
    this.first = first
    this.changes = changes
  }

  /** The same rules for every block. */
  static constant(hardfork: HardforkName): ForkSchedule {
    return new ForkSchedule(forkRules(hardfork), [])
  }

  /** The same schedule for another chain. */
  withChainId(chainId: number): ForkSchedule {
    return this.#with((rules) => ({ ...rules, chainId }))
  }

  /** The same schedule with other limits; those that are not given are those of the hardforks. */
  withLimits(limits: ForkLimits): ForkSchedule {
    return this.#with((rules) => {
      const { codeSizeLimit, transactionGasCap } = forkRules(rules.hardfork)
      return { ...rules, codeSizeLimit, transactionGasCap, ...limits }
    })
  }

  #with(change: (rules: ForkRules) => ForkRules): ForkSchedule {
    const changed = (rules: ForkRules) => sharedRules(change(rules))
    const changes = this.changes.map((step) => ({ ...step, rules: changed(step.rules) }))
    return new ForkSchedule(changed(this.first), changes)
  }

  at(number: bigint, timestamp: bigint): ForkRules {
    let rules = this.first
    for (const step of this.changes) {
      if (step.block !== undefined && number < step.block) break
      if (step.time !== undefined && timestamp < step.time) break
      rules = step.rules
    }
    return rules
  }

  /** Rules of the last hardfork in the schedule. */
  get newest(): ForkRules {
    return this.changes.at(-1)?.rules ?? this.first
  }
}
