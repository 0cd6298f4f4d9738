import type { Chain } from '../chain/chain.ts'
import type { WriteJob } from '../chain/writeJob.ts'
import { RefusedError } from '../primitives/errors.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { StateReader } from '../state/types.ts'
import type { ClockState } from './clockState.ts'

/** Blocks that a command seals between two yields to the event loop. */
const BLOCKS_PER_YIELD = 8

/** The timestamp is before the newest sealed block's, or equals it against the options. */
export class TimestampError extends RefusedError {
  override name = 'TimestampError'
  constructor(timestamp: number, parent: number) {
    super(
      // hardhat's words.
      timestamp < parent
        ? `Timestamp ${timestamp} is lower than the previous block's timestamp ${parent}`
        : `Timestamp ${timestamp} is equal to the previous block's timestamp. Enable the 'allowBlocksWithSameTimestamp' option to allow this`,
    )
  }
}

/** What the clocks do with blocks, within one job on the chain's write queue. */
export class BlockWork {
  readonly #state: ClockState
  readonly #chain: Pick<Chain, 'head' | 'mempool' | 'pending' | 'settings'>
  readonly #equalTimestamps: () => boolean
  /** Lets requests run in between; throws once the node stops. */
  readonly #yieldToOthers: () => Promise<void>
  /** The pending state on which the last tick could execute nothing. */
  #fruitless: StateReader | undefined
  #blocks = 0

  constructor(parameters: {
    state: ClockState
    chain: Pick<Chain, 'head' | 'mempool' | 'pending' | 'settings'>
    equalTimestamps: () => boolean
    yieldToOthers: () => Promise<void>
  }) {
    this.#state = parameters.state
    this.#chain = parameters.chain
    this.#equalTimestamps = parameters.equalTimestamps
    this.#yieldToOthers = parameters.yieldToOthers
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
    const { nextTimestamp } = options
    this.#state.prepareSeal(
      options.isDue === true,
      Number(this.#chain.pending.environment.timestamp),
    )
    this.#state.expectTimestamp(nextTimestamp)
    return job.seal(nextTimestamp === undefined ? {} : { timestamp: BigInt(nextTimestamp) })
  }

  /** To be called after each of many blocks. */
  async yieldAfterBlock(): Promise<void> {
    if (this.#blocks++ % BLOCKS_PER_YIELD === 0) await this.#yieldToOthers()
  }

  /**
   * Gives the pending block this timestamp, in s; virtual time jumps there when it is sealed.
   *
   * @throws {TimestampError}
   */
  async chooseTimestamp(job: WriteJob, timestamp: number): Promise<void> {
    this.#checkTimestamp(timestamp)
    this.#state.expectTimestamp(timestamp)
    await job.overrideNext({ timestamp: BigInt(timestamp) })
  }

  /**
   * Moves virtual time, and the pending block with it, unless a command chose that block's
   * timestamp: then time jumps there when it is sealed, as in EDR and anvil.
   *
   * @returns the sum of all such moves, in s
   */
  async increaseTime(job: WriteJob, seconds: number): Promise<number> {
    await this.refresh(job)
    const { pending, settings } = this.#chain
    const { timestamp } = pending.environment
    if (this.#state.expectedTimestamp !== undefined) return this.#state.increase(seconds)
    if (this.#state.instant && settings.timestampInterval === undefined) {
      // The block keeps following virtual time, which may be slightly behind it.
      this.#state.catchUp(Number(timestamp))
      const total = this.#state.increase(seconds)
      await job.reschedule()
      return total
    }
    const total = this.#state.increase(seconds)
    await job.overrideNext({ timestamp: timestamp + BigInt(seconds) })
    return total
  }

  /**
   * Moves virtual time to `timestamp`, in s, and the pending block with it.
   *
   * @returns by how many s it moved forward; 0 if it moved back
   * @throws {TimestampError}
   */
  async setTime(job: WriteJob, timestamp: number): Promise<number> {
    this.#checkTimestamp(timestamp)
    const before = Math.floor(this.#state.now / 1000)
    this.#state.setTime(timestamp * 1000)
    // Virtual time is there already, and need not jump at the seal.
    this.#state.expectTimestamp(undefined)
    if (this.#state.instant) await job.reschedule({ always: true })
    else await job.overrideNext({ timestamp: BigInt(timestamp) })
    return Math.max(0, timestamp - before)
  }

  #checkTimestamp(timestamp: number): void {
    const parent = Number(this.#chain.head.header.timestamp)
    if (timestamp < parent || (timestamp === parent && !this.#equalTimestamps())) {
      throw new TimestampError(timestamp, parent)
    }
  }
}
