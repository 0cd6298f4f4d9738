import type { Chain } from '../chain/chain.ts'
import type { Turn } from '../chain/writeJob.ts'
import { RefusedError } from '../primitives/errors.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { StateReader } from '../state/types.ts'
import type { ClockFace } from './clockState.ts'

/** Blocks that are sealed in one go before others get their turn. */
const BLOCKS_PER_BREATH = 8

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
  readonly #face: ClockFace
  readonly #chain: Pick<Chain, 'head' | 'mempool' | 'pending' | 'standing'>
  readonly #equalTimestamps: () => boolean
  /** Lets requests in between; throws where the node stops. */
  readonly #breathe: () => Promise<void>
  /** The pending state on which the last tick could execute nothing. */
  #fruitless: StateReader | undefined
  #blocks = 0

  constructor(parameters: {
    face: ClockFace
    chain: Pick<Chain, 'head' | 'mempool' | 'pending' | 'standing'>
    equalTimestamps: () => boolean
    breathe: () => Promise<void>
  }) {
    this.#face = parameters.face
    this.#chain = parameters.chain
    this.#equalTimestamps = parameters.equalTimestamps
    this.#breathe = parameters.breathe
  }

  /** Whether something waits that a tick has not tried in vain on this very state. */
  get canExecute(): boolean {
    const { mempool, pending } = this.#chain
    return mempool.runnableCount > 0 && pending.state !== this.#fruitless
  }

  /** In instant mode, all that can run, one block each. @param budget - ms of a tick, outside instant mode */
  async tick(turn: Turn, budget?: number): Promise<void> {
    if (this.#face.instant)
      await this.sealEach(turn, Math.max(1, this.#chain.mempool.runnableCount))
    else this.#note(await turn.tick({ budget }))
  }

  /** Pre-confirms and seals up to `count` transactions, each in a block of its own; ends at one that has to wait. */
  async sealEach(turn: Turn, count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      await this.refresh(turn)
      const executed = await turn.tick({ most: 1 })
      this.#note(executed)
      if (executed.length === 0) return
      await this.seal(turn)
      await this.breatheAfterBlock()
    }
  }

  /** Seals what is pre-confirmed and what can run, in as few blocks as it fits in. */
  async sealAll(turn: Turn): Promise<void> {
    for (;;) {
      await this.refresh(turn)
      this.#note(await turn.tick())
      if (this.#chain.pending.executed.length === 0) return
      await this.seal(turn)
      await this.breatheAfterBlock()
    }
  }

  #note(executed: readonly unknown[]): void {
    if (executed.length === 0) this.#fruitless = this.#chain.pending.state
  }

  /** In instant mode, gives an empty pending block the time that it is now. */
  async refresh(turn: Turn): Promise<void> {
    if (this.#face.instant && this.#chain.pending.executed.length === 0) await turn.reschedule()
  }

  /**
   * Seals the pending block as it is.
   *
   * @param options.due - on the beat of the sealing clock. Default: by command
   * @param options.nextTimestamp - s; of the block after it
   */
  async seal(
    turn: Turn,
    options: { due?: boolean; nextTimestamp?: number | undefined } = {},
  ): Promise<SealedBlock> {
    const { nextTimestamp } = options
    this.#face.sealed(options.due === true, Number(this.#chain.pending.environment.timestamp))
    this.#face.expectTimestamp(nextTimestamp)
    return turn.seal(nextTimestamp === undefined ? {} : { timestamp: BigInt(nextTimestamp) })
  }

  /** After each of many blocks. */
  async breatheAfterBlock(): Promise<void> {
    if (this.#blocks++ % BLOCKS_PER_BREATH === 0) await this.#breathe()
  }

  /**
   * Gives the pending block this timestamp, in s; virtual time goes there when it is sealed.
   *
   * @throws {TimestampError}
   */
  async chooseTimestamp(turn: Turn, timestamp: number): Promise<void> {
    this.#checkTimestamp(timestamp)
    this.#face.expectTimestamp(timestamp)
    await turn.choose({ timestamp: BigInt(timestamp) })
  }

  /**
   * Moves virtual time by so many s, and the pending block with it, unless a command gave that its timestamp: then time goes
   * there when it is sealed, as in EDR and anvil. Answers how far it was moved so altogether, in s.
   */
  async increaseTime(turn: Turn, seconds: number): Promise<number> {
    await this.refresh(turn)
    const { pending, standing } = this.#chain
    const { timestamp } = pending.environment
    if (this.#face.expectedTimestamp !== undefined) return this.#face.increase(seconds)
    if (this.#face.instant && standing.timestampInterval === undefined) {
      // The block goes on following time, which may be a little behind it.
      this.#face.catchUp(Number(timestamp))
      const total = this.#face.increase(seconds)
      await turn.reschedule()
      return total
    }
    const total = this.#face.increase(seconds)
    await turn.choose({ timestamp: timestamp + BigInt(seconds) })
    return total
  }

  /**
   * Moves virtual time to `timestamp`, in s, and the pending block with it.
   *
   * @returns by how many s it went forwards; 0 for back
   * @throws {TimestampError}
   */
  async setTime(turn: Turn, timestamp: number): Promise<number> {
    this.#checkTimestamp(timestamp)
    const before = Math.floor(this.#face.now / 1000)
    this.#face.setTime(timestamp * 1000)
    // It is that time already, and goes on from there.
    this.#face.expectTimestamp(undefined)
    if (this.#face.instant) await turn.reschedule({ always: true })
    else await turn.choose({ timestamp: BigInt(timestamp) })
    return Math.max(0, timestamp - before)
  }

  #checkTimestamp(timestamp: number): void {
    const parent = Number(this.#chain.head.header.timestamp)
    if (timestamp < parent || (timestamp === parent && !this.#equalTimestamps())) {
      throw new TimestampError(timestamp, parent)
    }
  }
}
