import type { Codes } from '../state/codes.ts'
import { type Crypto, loadCrypto } from './crypto.ts'
import type { Executor } from './executor.ts'
import { type ForkRules, forkRules, type HardforkName } from './forks.ts'

/**
 * The one door to @ethereumjs/vm. The engine itself is light, so that a node can answer before the EVM is loaded; the
 * executor behind it is loaded once, when first asked for.
 */
export class Engine {
  readonly chainId: number
  readonly rules: ForkRules
  readonly crypto: Crypto
  readonly codes: Codes
  #loading: Promise<Executor> | undefined
  #executor: Executor | undefined

  private constructor(chainId: number, rules: ForkRules, crypto: Crypto, codes: Codes) {
    this.chainId = chainId
    this.rules = rules
    this.crypto = crypto
    this.codes = codes
  }

  static async create(parameters: {
    chainId: number
    hardfork: HardforkName
    codes: (keccak256: Crypto['keccak256']) => Codes
  }): Promise<Engine> {
    const crypto = await loadCrypto()
    return new Engine(
      parameters.chainId,
      forkRules(parameters.hardfork),
      crypto,
      parameters.codes(crypto.keccak256),
    )
  }

  /** The executor if it is loaded already: hot paths need no promise then. */
  get loaded(): Executor | undefined {
    return this.#executor
  }

  executor(): Promise<Executor> {
    this.#loading ??= import('./executor.ts').then(({ Executor }) => {
      this.#executor = new Executor({
        chainId: this.chainId,
        rules: this.rules,
        crypto: this.crypto,
        codes: this.codes,
      })
      return this.#executor
    })
    return this.#loading
  }
}
