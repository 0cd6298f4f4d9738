import { getOrCreate } from '../primitives/memo.ts'
import type { ForkSchedule } from '../protocol/forkSchedule.ts'
import type { ForkRules } from '../protocol/forks.ts'
import { type Codes, ScratchCodes } from '../state/codes.ts'
import type { CoverageRecorder } from './coverageCalls.ts'
import { type Crypto, loadCrypto } from './crypto.ts'
import type { Executor } from './executor.ts'
import { type EngineChoice, fastEngine } from './fast/route.ts'

/** Most executors that are kept: commands can set any number of chain ids. */
const MAX_EXECUTORS = 32

interface EngineParameters {
  chainId: number
  schedule: ForkSchedule
  /** Default: `fast`. */
  engine?: EngineChoice
  /** Default: none is recorded. */
  coverage?: CoverageRecorder | undefined
  codes: (keccak256: Crypto['keccak256']) => Codes
  /** Default: the fastest that works here. */
  crypto?: Crypto
}

/**
 * The door to both engines, ours and @ethereumjs/vm. Makes an executor for each set of rules when
 * it is first needed, so that a node can answer requests before either is loaded.
 */
export class Engine {
  #schedule: ForkSchedule
  readonly crypto: Crypto
  readonly codes: Codes
  readonly choice: EngineChoice
  readonly #coverage: CoverageRecorder | undefined
  readonly #loading = new Map<ForkRules, Promise<Executor>>()
  readonly #loaded = new Map<ForkRules, Executor>()

  private constructor(parameters: EngineParameters, crypto: Crypto) {
    this.#schedule = parameters.schedule.withChainId(parameters.chainId)
    this.choice = parameters.engine ?? 'fast'
    this.#coverage = parameters.coverage
    this.crypto = crypto
    this.codes = parameters.codes(crypto.keccak256)
  }

  static async create(parameters: EngineParameters): Promise<Engine> {
    return new Engine(parameters, parameters.crypto ?? (await loadCrypto()))
  }

  /**
   * An engine for another chain, which begins with the settings and codes of this one; its later
   * changes do not show here. Crypto is shared.
   */
  branch(): Engine {
    const { chainId, schedule, choice: engine, crypto } = this
    const coverage = this.#coverage
    const codes = () => new ScratchCodes(this.codes)
    return new Engine({ chainId, schedule, engine, coverage, codes }, crypto)
  }

  /** The chain id of the next block. */
  get chainId(): number {
    return this.#schedule.first.chainId
  }

  get schedule(): ForkSchedule {
    return this.#schedule
  }

  /** Applies to blocks from the next one on, as {@link setChainId} does: older ones keep theirs. */
  setSchedule(schedule: ForkSchedule): void {
    this.#schedule = schedule
  }

  /** Transactions decoded before must be decoded again. */
  setChainId(chainId: number): void {
    if (chainId !== this.chainId) this.#schedule = this.#schedule.withChainId(chainId)
  }

  /** The executor for these rules if it is loaded, for hot paths without promises. */
  loaded(rules: ForkRules): Executor | undefined {
    return this.#loaded.get(rules)
  }

  /** @param rules - those of a block; default: the newest of {@link schedule} */
  executor(rules: ForkRules = this.schedule.newest): Promise<Executor> {
    return getOrCreate(this.#loading, rules, () => this.#load(rules))
  }

  /** True if the fast engine executes under the newest rules. */
  async isFast(): Promise<boolean> {
    if (this.choice === 'library') return false
    return (await fastEngine(this.schedule.newest)) !== undefined
  }

  /** Releases the chain's state. */
  close(): void {
    for (const executor of this.#loaded.values()) executor.forget()
  }

  async #load(rules: ForkRules): Promise<Executor> {
    const { Executor } = await import('./executor.ts')
    const { crypto, codes, choice: engine } = this
    const executor = new Executor({ rules, crypto, codes, engine, coverage: this.#coverage })
    this.#loaded.set(rules, executor)
    const [oldest] = this.#loaded.keys()
    if (oldest !== undefined && this.#loaded.size > MAX_EXECUTORS) {
      this.#loaded.delete(oldest)
      this.#loading.delete(oldest)
    }
    return executor
  }
}
