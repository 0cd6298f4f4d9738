import type { Chain } from '../chain/chain.ts'
import type { WriteJob } from '../chain/writeJob.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { StateReader } from '../state/types.ts'
import type { ClockState } from './clockState.ts'

/** Blocks that a command seals between two yields to the event loop. */
const BLOCKS_PER_YIELD = 8

/** Ticks and seals within one job on the chain's write queue. */
export class BlockWork {
  readonly #state: ClockState
  readonly #chain: Chain
  /** Lets requests run in between; throws once the node stops. */
  readonly #yieldToOthers: () => Promise<void>
  /** The pending state on which the last tick could execute nothing. */
  #fruitless: StateReader | undefined
  #blocks = 0

  constructor(state: ClockState, chain: Chain, yieldToOthers: () => Promise<void>) {
    this.#state = state
    this.#chain = chain
    this.#yieldToOthers = yieldToOthers
  }

  /** Whether a runnable transaction waits that no tick has tried in vain on the present state. */
  get canExecute(): boolean {
    const { mempool, pending } = this.#chain
    return mempool.runnableCount > 0 && pending.state !== this.#fruitless
  }

  /**
   * One tick; in instant mode, a block for each transaction that can run.
   *
   * @param budget - ms; outside instant mode. Default: none
   */
  async tick(job: WriteJob, budget?: number): Promise<void> {
    if (this.#state.instant) {
      await this.sealEach(job, Math.max(1, this.#chain.mempool.runnableCount))
    } else this.#note(await job.tick({ budget }))
  }

  /** Seals up to `count` transactions, each in its own block, until one must wait. */
  async sealEach(job: WriteJob, count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      await this.refresh(job)
      const executed = await job.tick({ most: 1 })
      this.#note(executed)
      if (executed.length === 0) return
      await this.seal(job)
      await this.yieldAfterBlock()
    }
  }

  /** Seals what is pre-confirmed and what can run, in as few blocks as possible. */
  async sealAll(job: WriteJob): Promise<void> {
    for (;;) {
      await this.refresh(job)
      this.#note(await job.tick())
      if (this.#chain.pending.executed.length === 0) return
      await this.seal(job)
      await this.yieldAfterBlock()
    }
  }

  #note(executed: readonly unknown[]): void {
    if (executed.length === 0) this.#fruitless = this.#chain.pending.state
  }

  /** In instant mode, gives an empty pending block the present time. */
  async refresh(job: WriteJob): Promise<void> {
    if (this.#state.instant && this.#chain.pending.executed.length === 0) await job.reschedule()
  }

  /**
   * Seals the pending block as it is.
   *
   * @param options.isDue - whether the sealing clock asks for it. Default: a command does
   * @param options.nextTimestamp - s; of the next block. Default: as scheduled
   */
  async seal(
    job: WriteJob,
    options: { isDue?: boolean; nextTimestamp?: number | undefined } = {},
  ): Promise<SealedBlock> {
    const { isDue = false, nextTimestamp } = options
    this.#state.prepareSeal(isDue, Number(this.#chain.pending.environment.timestamp))
    this.#state.expectedTimestamp = nextTimestamp
    return job.seal(nextTimestamp === undefined ? {} : { timestamp: BigInt(nextTimestamp) })
  }

  /** To be called after each of many blocks. */
  async yieldAfterBlock(): Promise<void> {
    if (this.#blocks++ % BLOCKS_PER_YIELD === 0) await this.#yieldToOthers()
  }
}
