import type { HookManager } from 'hardhat/types/hooks'
import type { JsonRpcRequest } from 'hardhat/types/providers'
import type { ContractSource, Devnet } from '../../devnet/index.ts'
import { tellDefect } from '../../devnet/pluginApi.ts'
import { asking } from '../rpc-client.ts'
import type { GasMeasurement, GasMeasurements } from './gas-measurements.ts'

/** Hands on what Hardhat collects of a node while it runs tests, and knows when that is done. */
export class Collected {
  /** True if Hardhat runs with `--coverage`. */
  readonly coverage: boolean
  /** True if it runs with `--gas-stats` or `--gas-stats-json`: {@link called} is to be told. */
  readonly wantsCalls: boolean
  readonly #hooks: HookManager
  #gas: GasMeasurements | undefined
  #pending: Promise<unknown> | undefined
  /** Errors of handlers since the last wait. */
  readonly #thrown: unknown[] = []
  /** True if a failed measurement was reported. */
  #hasReported = false

  private constructor(hooks: HookManager, coverage: boolean, measuresGas: boolean) {
    this.#hooks = hooks
    this.coverage = coverage
    this.wantsCalls = measuresGas
  }

  static async of(hooks: HookManager): Promise<Collected> {
    const isWanted = (hook: 'onCoverageData' | 'onGasMeasurement') =>
      hooks.hasHandlers('network', hook)
    return new Collected(
      hooks,
      await isWanted('onCoverageData'),
      await isWanted('onGasMeasurement'),
    )
  }

  /** Hands on what the node reports from now on. */
  async listen(devnet: Devnet, contracts: ContractSource): Promise<void> {
    if (this.coverage) {
      devnet.on('coverage', ({ tags }) => {
        // Hardhat's tags have no prefix.
        const data = tags.map((tag) => tag.slice(2))
        this.#add(this.#hooks.runParallelHandlers('network', 'onCoverageData', [data]))
      })
    }
    if (!this.wantsCalls) return
    // Imported on demand: few runs measure gas.
    const { GasMeasurements } = await import('./gas-measurements.ts')
    const gas = new GasMeasurements(asking(devnet.provider), contracts)
    this.#gas = gas
    devnet.on('tick', ({ transactions }) => {
      for (const one of transactions) this.#measure(gas.ofTransaction(one))
    })
  }

  /** Hands on what an `eth_call` that has succeeded used. */
  called({ params }: JsonRpcRequest): void {
    if (this.#gas !== undefined) this.#measure(this.#gas.ofRequest(params))
  }

  #measure(measuring: Promise<GasMeasurement | undefined>): void {
    // The node did its work: what cannot be measured is missing in the statistics.
    const measured = measuring.catch((error: unknown) => this.#report(error))
    this.#add(
      measured.then(async (measurement) => {
        if (measurement === undefined) return
        await this.#hooks.runParallelHandlers('network', 'onGasMeasurement', [measurement])
      }),
    )
  }

  #report(error: unknown): undefined {
    if (!this.#hasReported) {
      tellDefect(
        'hardhat-pending-node: the gas statistics are incomplete, because a measurement failed',
        error,
      )
    }
    this.#hasReported = true
  }

  /** Resolves once all was handed on; `undefined` if it was. @throws what a handler has thrown */
  settle(): Promise<void> | undefined {
    if (this.#pending === undefined && this.#thrown.length === 0) return undefined
    return this.#throwOnce()
  }

  /** As {@link settle}, and leaves what a handler has thrown to others. */
  idle(): Promise<unknown> | undefined {
    return this.#pending
  }

  async #throwOnce(): Promise<void> {
    await this.#pending
    const thrown = this.#thrown.splice(0)
    if (thrown.length > 0) throw thrown[0]
  }

  #add(handed: Promise<unknown>): void {
    const kept = handed.catch((error: unknown) => this.#thrown.push(error))
    const all = Promise.all([this.#pending, kept]).then(() => {
      if (this.#pending === all) this.#pending = undefined
    })
    this.#pending = all
  }
}
