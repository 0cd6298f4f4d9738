import type { Chain } from '../chain/chain.ts'
import type { WriteJob } from '../chain/writeJob.ts'
import { RefusedError } from '../primitives/errors.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { StateReader } from '../state/types.ts'
import type { ClockState } from './clockState.ts'

/** Blocks that are sealed in one go before others get their job. */
const BLOCKS_PER_YIELD = 8

/** The timestamp lies before that of the newest sealed block, or equals it where that is not allowed (hardhat's words). */
export class TimestampError extends RefusedError {
  override name = 'TimestampError'
  constructor(timestamp: number, parent: number) {
    super(
      timestamp < parent
        ? `Timestamp ${timestamp} is lower than the previous block's timestamp ${parent}`
        : `Timestamp ${timestamp} is equal to the previous block's timestamp. Enable the 'allowBlocksWithSameTimestamp' option to allow this`,
    )
  }
}

/** What the clocks do with blocks inside one turn of the chain's queue. */
export class BlockWork {
  readonly #state: ClockState
  readonly #chain: Pick<Chain, 'head' | 'mempool' | 'pending' | 'settings'>
  readonly #equalTimestamps: () => boolean
  /** Lets requests in between; throws where the node stops. */
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

  /** Whether something waits that a tick has not tried in vain on this very state. */
  get canExecute(): boolean {
    const { mempool, pending } = this.#chain
    return mempool.runnableCount > 0 && pending.state !== this.#fruitless
  }

  /** In instant mode, all that can run, one block each. @param budget - ms of a tick, outside instant mode */
  async tick(job: WriteJob, budget?: number): Promise<void> {
    if (this.#state.instant)
      await this.sealEach(job, Math.max(1, this.#chain.mempool.runnableCount))
    else this.#note(await job.tick({ budget }))
  }

  /** Pre-confirms and seals up to `count` transactions, each in a block of its own; ends at one that has to wait. */
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

  /** Seals what is pre-confirmed and what can run, in as few blocks as it fits in. */
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

  /** In instant mode, gives an empty pending block the time that it is now. */
  async refresh(job: WriteJob): Promise<void> {
    if (this.#state.instant && this.#chain.pending.executed.length === 0) await job.reschedule()
  }

  /**
   * Seals the pending block as it is.
   *
   * @param options.due - on the beat of the sealing clock. Default: by command
   * @param options.nextTimestamp - s; of the block after it
   */
  async seal(
    job: WriteJob,
    options: { due?: boolean; nextTimestamp?: number | undefined } = {},
  ): Promise<SealedBlock> {
    const { nextTimestamp } = options
    this.#state.sealed(options.due === true, Number(this.#chain.pending.environment.timestamp))
    this.#state.expectTimestamp(nextTimestamp)
    return job.seal(nextTimestamp === undefined ? {} : { timestamp: BigInt(nextTimestamp) })
  }

  /** After each of many blocks. */
  async yieldAfterBlock(): Promise<void> {
    if (this.#blocks++ % BLOCKS_PER_YIELD === 0) await this.#yieldToOthers()
  }

  /**
   * Gives the pending block this timestamp, in s; virtual time goes there when it is sealed.
   *
   * @throws {TimestampError}
   */
  async chooseTimestamp(job: WriteJob, timestamp: number): Promise<void> {
    this.#checkTimestamp(timestamp)
    this.#state.expectTimestamp(timestamp)
    await job.overrideNext({ timestamp: BigInt(timestamp) })
  }

  /**
   * Moves virtual time by so many s, and the pending block with it, unless a command gave that its timestamp: then time goes
   * there when it is sealed, as in EDR and anvil. Answers how far it was moved so altogether, in s.
   */
  async increaseTime(job: WriteJob, seconds: number): Promise<number> {
    await this.refresh(job)
    const { pending, settings } = this.#chain
    const { timestamp } = pending.environment
    if (this.#state.expectedTimestamp !== undefined) return this.#state.increase(seconds)
    if (this.#state.instant && settings.timestampInterval === undefined) {
      // The block goes on following time, which may be a little behind it.
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
   * @returns by how many s it went forwards; 0 for back
   * @throws {TimestampError}
   */
  async setTime(job: WriteJob, timestamp: number): Promise<number> {
    this.#checkTimestamp(timestamp)
    const before = Math.floor(this.#state.now / 1000)
    this.#state.setTime(timestamp * 1000)
    // It is that time already, and goes on from there.
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
