import type { Engine } from '../../engine/engine.ts'
import type { Executor } from '../../engine/executor.ts'
import type { ForkRules } from '../../engine/forks.ts'
import { ChainFileError, DevnetError } from '../../errors.ts'
import type { Hex } from '../../types.ts'
import { toChainTransaction } from '../admission.ts'
import { fromHex, toHex } from '../bytes.ts'
import type { ChainTransaction } from '../transaction.ts'
import { chainIdOf } from './transactionJson.ts'

/** Reads the transactions of a dump: each for the chain id that it was signed for, which may have been changed since. */
export class TransactionReader {
  readonly #engine: Engine
  readonly #label: string
  readonly #others = new Map<string, Executor>()

  /** @param label - the dump's name in errors */
  constructor(engine: Engine, label: string) {
    this.#engine = engine
    this.#label = label
  }

  /**
   * A transaction as the mempool would have made it.
   *
   * @param impersonated - who it is from without a signature of theirs; `undefined`: who signed it
   * @throws {ChainFileError}
   */
  async read(
    raw: Uint8Array,
    impersonated: Hex | undefined,
    rules: ForkRules,
  ): Promise<ChainTransaction> {
    try {
      const executor = await this.#executor(chainIdOf(raw), rules)
      const sender = impersonated === undefined ? undefined : fromHex(impersonated)
      const decoded = executor.identify(executor.decode(raw), sender)
      return toChainTransaction({ ...decoded, impersonated: impersonated !== undefined })
    } catch (error) {
      if (!(error instanceof DevnetError)) throw error
      const hash = toHex(this.#engine.crypto.keccak256(raw))
      throw new ChainFileError(
        `${this.#label}: transaction ${hash} is refused: ${error.message}.`,
        { cause: error },
      )
    }
  }

  async #executor(chainId: number | undefined, rules: ForkRules): Promise<Executor> {
    const { crypto, codes } = this.#engine
    if (chainId === undefined || chainId === this.#engine.chainId) {
      return this.#engine.executor(rules)
    }
    const name = `${chainId} ${rules.hardfork}`
    let executor = this.#others.get(name)
    if (executor === undefined) {
      const { Executor } = await import('../../engine/executor.ts')
      executor = new Executor({ chainId, rules, crypto, codes })
      this.#others.set(name, executor)
    }
    return executor
  }
}
