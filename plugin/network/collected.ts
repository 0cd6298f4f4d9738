import type { HookManager } from 'hardhat/types/hooks'
import type { JsonRpcRequest } from 'hardhat/types/providers'
import type { Devnet } from '../../devnet/index.ts'
import type { ArtifactFolder } from '../artifacts/artifact-folder.ts'
import type { GasMeasurement, GasMeasurements } from './gas-measurements.ts'

/** Hands on what Hardhat collects of a node while it runs tests, and knows when that is done. */
export class Collected {
  /** Whether Hardhat runs with `--coverage`. */
  readonly coverage: boolean
  /** Whether Hardhat runs with `--gas-stats` or `--gas-stats-json`. */
  readonly #measuresGas: boolean
  readonly #hooks: HookManager
  #gas: GasMeasurements | undefined
  #pending: Promise<unknown> | undefined

  private constructor(hooks: HookManager, wanted: { coverage: boolean; gas: boolean }) {
    this.#hooks = hooks
    this.coverage = wanted.coverage
    this.#measuresGas = wanted.gas
  }

  static async of(hooks: HookManager): Promise<Collected> {
    return new Collected(hooks, {
      coverage: await hooks.hasHandlers('network', 'onCoverageData'),
      gas: await hooks.hasHandlers('network', 'onGasMeasurement'),
    })
  }

  /** Hands on what the node reports from now on. */
  async listen(devnet: Devnet, artifacts: ArtifactFolder): Promise<void> {
    if (this.coverage) this.#listenToHits(devnet)
    if (!this.#measuresGas) return
    // Imported on demand: few runs measure gas.
    const { GasMeasurements } = await import('./gas-measurements.ts')
    const gas = new GasMeasurements(devnet.provider, artifacts)
    this.#gas = gas
    devnet.on('tick', ({ transactions }) => {
      for (const one of transactions) this.#measure(gas.ofTransaction(one))
    })
  }

  /** Hands on what an `eth_call` that has succeeded used. */
  called({ params }: JsonRpcRequest): void {
    if (this.#gas !== undefined) this.#measure(this.#gas.ofRequest(params))
  }

  /** Whether {@link called} is to be told of calls. */
  get wantsCalls(): boolean {
    return this.#gas !== undefined
  }

  #measure(measuring: Promise<GasMeasurement | undefined>): void {
    this.#add(
      measuring.then(async (measured) => {
        if (measured === undefined) return
        await this.#hooks.runParallelHandlers('network', 'onGasMeasurement', [measured])
      }),
    )
  }

  #listenToHits(devnet: Devnet): void {
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
