import type { HookManager } from 'hardhat/types/hooks'
import type { Devnet } from '../../devnet/index.ts'

/** Hands on what Hardhat collects of a node while it runs tests, and knows when that is done. */
export class Collected {
  /** Whether Hardhat runs with `--coverage`. */
  readonly coverage: boolean
  readonly #hooks: HookManager
  #pending: Promise<unknown> | undefined

  private constructor(hooks: HookManager, coverage: boolean) {
    this.#hooks = hooks
    this.coverage = coverage
  }

  static async of(hooks: HookManager): Promise<Collected> {
    return new Collected(hooks, await hooks.hasHandlers('network', 'onCoverageData'))
  }

  /** Hands on what the node reports from now on. */
  listen(devnet: Devnet): void {
    if (!this.coverage) return
    devnet.on('coverage', ({ tags }) => {
      // Hardhat's tags have no prefix.
      const data = tags.map((tag) => tag.slice(2))
      this.#add(this.#hooks.runParallelHandlers('network', 'onCoverageData', [data]))
    })
  }

  /** Resolves once all was handed on; `undefined` if it was. @throws what a handler throws */
  get settled(): Promise<unknown> | undefined {
    return this.#pending
  }

  #add(handed: Promise<unknown>): void {
    const all = Promise.all([this.#pending, handed])
    this.#pending = all
    const forget = () => {
      if (this.#pending === all) this.#pending = undefined
    }
    // An error reaches whoever awaits it.
    all.then(forget, forget)
  }
}
