import type { Chain } from '../chain/chain.ts'
import type { WriteJob } from '../chain/writeJob.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { StateReader } from '../state/types.ts'
import type { ClockState } from './clockState.ts'

/** Number of blocks after which a long command yields to the event loop. */
const BLOCKS_PER_YIELD = 8

/** Runs ticks and seals within a job on the chain's write queue. */
export class BlockWork {
  readonly #state: ClockState
  readonly #chain: Chain
  /** Lets waiting requests run; rejects once the node has stopped. */
  readonly #yieldToOthers: () => Promise<void>
  /** The pending state on which the last tick could execute nothing. */
  #fruitless: StateReader | undefined
  #blocks = 0

  constructor(state: ClockState, chain: Chain, yieldToOthers: () => Promise<void>) {
    this.#state = state
    this.#chain = chain
    this.#yieldToOthers = yieldToOthers
  }

  /**
   * Whether a tick could execute something: a transaction is runnable, and the last tick on this
   * state did not come up empty.
   */
  get canExecute(): boolean {
    const { mempool, pending } = this.#chain
    return mempool.runnableCount > 0 && pending.state !== this.#fruitless
  }

  /**
   * Runs one tick; in instant mode, seals each runnable transaction in a block of its own instead.
   *
   * @param budget - ms after which no further transaction begins; ignored in instant mode.
   *   Default: no limit
   */
  async tick(job: WriteJob, budget?: number): Promise<void> {
    if (this.#state.instant) {
      await this.sealEach(job, Math.max(1, this.#chain.mempool.runnableCount))
    } else this.#note(await job.tick({ budget }))
  }

  /** Seals up to `count` transactions, each in its own block; stops once none can be executed. */
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

  /** Seals the pre-confirmed transactions and all that can run, in as few blocks as possible. */
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

  /** In instant mode, updates the timestamp of an empty pending block to the current time. */
  async refresh(job: WriteJob): Promise<void> {
    if (this.#state.instant && this.#chain.pending.executed.length === 0) await job.reschedule()
  }

  /**
   * Seals the pending block as it is.
   *
   * @param options.isDue - true if the sealing clock triggered it, false if a command did.
   *   Default: false
   * @param options.nextTimestamp - timestamp of the block after it, in s. Default: as scheduled
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

  /** To be called after each block of a long command. */
  async yieldAfterBlock(): Promise<void> {
    if (this.#blocks++ % BLOCKS_PER_YIELD === 0) await this.#yieldToOthers()
  }
}
