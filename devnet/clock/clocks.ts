import type { SealedBlock } from '../chain/block.ts'
import type { Chain, Turn } from '../chain/chain.ts'
import type { Schedule } from '../chain/chainState.ts'
import { RefusedError } from '../errors.ts'
import type { StateReader } from '../state/types.ts'
import type { Beat } from './beat.ts'
import { ClockFace, type ClockFaceParameters } from './clockFace.ts'

export interface ClocksParameters extends ClockFaceParameters {
  /** ms after which a tick of the wall clock begins no further transaction. */
  readonly tickBudget: number
}

/** Longest `setTimeout`, in ms. */
const LONGEST_TIMER = 2 ** 31 - 1

/** Blocks that are sealed in one go before others get their turn. */
const BLOCKS_PER_BREATH = 8

/** The timestamp lies before that of the newest sealed block. */
export class TimestampError extends RefusedError {
  override name = 'TimestampError'
  constructor(timestamp: number, parent: number) {
    super(`Timestamp ${timestamp} is lower than or equal to previous block's timestamp ${parent}`)
  }
}

/** The tick clock and the sealing clock. Commands go through the chain's queue like all that changes it. */
export class Clocks implements Schedule {
  readonly #face: ClockFace
  readonly #budget: number
  readonly #onError: (error: unknown) => void
  #chain: Chain | undefined
  #timer: NodeJS.Timeout | undefined
  #started = false
  /** A beat of the wall clock waits on the queue. */
  #beating = false
  #stopListening: (() => void) | undefined
  /** The pending state on which the last tick could execute nothing. */
  #fruitless: StateReader | undefined

  constructor(parameters: ClocksParameters, onError: (error: unknown) => void) {
    this.#face = new ClockFace(parameters)
    this.#budget = parameters.tickBudget
    this.#onError = onError
  }

  /** Virtual time in ms since the epoch. */
  get now(): number {
    return this.#face.now
  }

  get ticks(): Readonly<Pick<Beat, 'interval' | 'running' | 'next'>> {
    return this.#face.ticks
  }

  get seals(): Readonly<Pick<Beat, 'interval' | 'running' | 'next'>> {
    return this.#face.seals
  }

  /** Part of {@link Schedule}. */
  get equalTimestamps(): boolean {
    return this.seals.interval < 1000
  }

  /** Part of {@link Schedule}. */
  sealTime(): number {
    return this.seals.next(this.now)
  }

  /** Begins to beat for `chain`. */
  start(chain: Chain): void {
    this.#chain = chain
    this.#started = true
    this.#face.start()
    const ends = [chain.onAdmit(() => this.#onArrival()), chain.onTurn(() => this.#onTurn())]
    this.#stopListening = () => {
      for (const end of ends) end()
    }
    this.#arm()
  }

  stop(): void {
    this.#started = false
    clearTimeout(this.#timer)
    this.#stopListening?.()
  }

  /** Stops sealing, and with `ticks` the ticks; time stands still once both stand. */
  freeze(options: { ticks?: boolean } = {}): Promise<void> {
    return this.#write(() => this.#face.freeze(options.ticks === true))
  }

  /** Both clocks go on from where they stood. */
  resume(): Promise<void> {
    return this.#write(() => this.#face.resume())
  }

  /** `count` tick intervals with a tick each; seals only where sealing runs and is due. */
  advanceTicks(count: number): Promise<void> {
    return this.#write(async (turn) => {
      for (let index = 0; index < count; index++) {
        this.#face.advanceTick()
        await turn.tick()
        if (this.#face.seals.isDue(this.now)) await this.#seal(turn, { due: true })
        await this.#breathe()
      }
    })
  }

  /** `count` times: a tick, time plus one seal interval, a seal. */
  advanceBlocks(count: number): Promise<void> {
    return this.#write(async (turn) => {
      for (let index = 0; index < count; index++) {
        await turn.tick()
        this.#face.advanceSeal()
        await this.#seal(turn)
        await this.#breathe()
      }
    })
  }

  /** Seals the pending block as it is, without a tick before. */
  seal(): Promise<SealedBlock> {
    return this.#write((turn) => this.#seal(turn))
  }

  /**
   * Ticks, then seals, `count` times.
   *
   * @param options.timestamp - s; of the first block. Default: as it was opened
   * @param options.interval - s between the blocks. Default: as the sealing clock has it
   * @throws {TimestampError} where the newest sealed block is not older than `timestamp`
   */
  tickAndSeal(
    count: number,
    options: { timestamp?: number | undefined; interval?: number | undefined } = {},
  ): Promise<SealedBlock> {
    const { timestamp, interval } = options
    return this.#write(async (turn) => {
      const chain = this.#requireChain()
      if (timestamp !== undefined) await this.#chooseTimestamp(turn, timestamp)
      let block = chain.head
      for (let index = 0; index < count; index++) {
        if (index === 0 || chain.mempool.runnableCount > 0) await turn.tick()
        const last = index === count - 1
        block = await this.#seal(turn, {
          nextTimestamp:
            last || interval === undefined
              ? undefined
              : Number(chain.pending.environment.timestamp) + interval,
        })
        if (index % BLOCKS_PER_BREATH === 0) await this.#breathe()
      }
      return block
    })
  }

  /**
   * Gives the pending block this timestamp; virtual time goes there when it is sealed.
   *
   * @param timestamp - s since the epoch
   * @throws {TimestampError} where the newest sealed block is not older
   */
  setNextTimestamp(timestamp: number): Promise<void> {
    return this.#write((turn) => this.#chooseTimestamp(turn, timestamp))
  }

  /**
   * Moves virtual time, and the timestamp of the pending block with it.
   *
   * @param seconds - at least 0
   * @returns by how many s it was moved so altogether
   */
  increaseTime(seconds: number): Promise<number> {
    return this.#write(async (turn) => {
      const { timestamp } = this.#requireChain().pending.environment
      const { expectedTimestamp } = this.#face
      const total = this.#face.increase(seconds)
      if (expectedTimestamp !== undefined) {
        this.#face.expectTimestamp(expectedTimestamp + seconds)
      }
      await turn.choose({ timestamp: timestamp + BigInt(seconds) })
      return total
    })
  }

  async #chooseTimestamp(turn: Turn, timestamp: number): Promise<void> {
    const parent = Number(this.#requireChain().head.header.timestamp)
    if (timestamp < parent || (timestamp === parent && !this.equalTimestamps)) {
      throw new TimestampError(timestamp, parent)
    }
    this.#face.expectTimestamp(timestamp)
    await turn.choose({ timestamp: BigInt(timestamp) })
  }

  /** What puts both clocks back to this moment. */
  snapshot(): () => void {
    const restore = this.#face.snapshot()
    return () => {
      restore()
      this.#arm()
    }
  }

  async #seal(
    turn: Turn,
    options: { due?: boolean; nextTimestamp?: number | undefined } = {},
  ): Promise<SealedBlock> {
    const { nextTimestamp } = options
    this.#face.sealed(options.due === true)
    this.#face.expectTimestamp(nextTimestamp)
    return turn.seal(nextTimestamp === undefined ? {} : { timestamp: BigInt(nextTimestamp) })
  }

  #write<Result>(
    work: (turn: Turn) => Result | Promise<Result>,
    options: { beat?: boolean } = {},
  ): Promise<Result> {
    const chain = this.#requireChain()
    const armed = async (turn: Turn) => {
      try {
        return await work(turn)
      } finally {
        this.#arm()
      }
    }
    return options.beat === true ? chain.writeNow(armed) : chain.write(armed)
  }

  /** Lets requests in between the steps of a long command, and ends it when the node stops. */
  async #breathe(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve))
    if (!this.#started) throw new RefusedError('The node was stopped')
  }

  #requireChain(): Chain {
    if (this.#chain === undefined) throw new Error('The clocks have not been started')
    return this.#chain
  }

  /** Tick interval 0: each transaction is executed on arrival. */
  #onArrival(): void {
    if (this.ticks.interval === 0 && this.ticks.running) this.#beat()
  }

  /** Tick interval 0: what could not be executed on arrival is tried again when something has changed. */
  #onTurn(): void {
    const { mempool, pending } = this.#requireChain()
    if (mempool.runnableCount > 0 && pending.state !== this.#fruitless) this.#onArrival()
  }

  /** Sets the timer for the next beat of either clock. */
  #arm(): void {
    clearTimeout(this.#timer)
    if (!this.#started) return
    const { now } = this
    const nexts = [this.ticks, this.seals]
      .filter((beat) => beat.running && beat.interval > 0)
      .map((beat) => beat.next(now))
    if (nexts.length === 0) return
    const delay = Math.max(0, Math.min(...nexts) - now)
    this.#timer = setTimeout(() => this.#beat(), Math.min(delay, LONGEST_TIMER))
  }

  /** Takes one turn for whatever is due. A beat that comes while one waits is the same one: late, never twice. */
  #beat(): void {
    if (this.#beating || !this.#started) return
    this.#beating = true
    const beat = async (turn: Turn) => {
      this.#beating = false
      const { ticks, seals, now } = this.#face
      const due = ticks.isDue(now)
      if (due) ticks.step(now)
      if (due || (ticks.running && ticks.interval === 0)) {
        const executed = await turn.tick(this.#budget)
        if (executed.length === 0) this.#fruitless = this.#requireChain().pending.state
      }
      if (seals.isDue(now)) await this.#seal(turn, { due: true })
    }
    this.#write(beat, { beat: true }).catch(this.#onError)
  }
}
