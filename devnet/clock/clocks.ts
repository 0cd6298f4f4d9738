import type { SealedBlock } from '../chain/block.ts'
import type { Chain, Turn } from '../chain/chain.ts'
import type { Schedule } from '../chain/chainState.ts'
import { RefusedError } from '../errors.ts'
import { Beat } from './beat.ts'
import { VirtualTime } from './virtualTime.ts'

export interface ClocksParameters {
  /** ms since the epoch at which virtual time starts. */
  readonly start: number
  /** ms; 0 executes each transaction on arrival. */
  readonly tickInterval: number
  /** ms. */
  readonly sealInterval: number
  /** Sealing stands still at the start. */
  readonly frozen: boolean
  /** Both stand still at the start. */
  readonly frozenTicks: boolean
  /** ms after which a tick of the wall clock begins no further transaction. */
  readonly tickBudget: number
}

/** Longest `setTimeout`, in ms. */
const LONGEST_TIMER = 2 ** 31 - 1

/** The tick clock and the sealing clock. Commands go through the chain's queue like all that changes it. */
export class Clocks implements Schedule {
  readonly #time: VirtualTime
  readonly #ticks: Beat
  readonly #seals: Beat
  readonly #budget: number
  #chain: Chain | undefined
  #timer: NodeJS.Timeout | undefined
  #started = false
  /** A beat of the wall clock waits on the queue or runs. */
  #beating = false
  /** Timestamp in s that was asked for the pending block; time jumps there when it is sealed. */
  #timestamp: number | undefined
  #stopListening: (() => void) | undefined
  #onError: (error: unknown) => void

  constructor(parameters: ClocksParameters, onError: (error: unknown) => void) {
    this.#time = new VirtualTime(parameters.start)
    this.#ticks = new Beat(parameters.tickInterval, parameters.start)
    this.#seals = new Beat(parameters.sealInterval, parameters.start)
    this.#budget = parameters.tickBudget
    this.#onError = onError
    if (parameters.frozen || parameters.frozenTicks) this.#seals.freeze(parameters.start)
    if (parameters.frozenTicks) this.#ticks.freeze(parameters.start)
  }

  /** Virtual time in ms since the epoch. */
  get now(): number {
    return this.#time.now()
  }

  get ticks(): Readonly<Pick<Beat, 'interval' | 'running' | 'next'>> {
    return this.#ticks
  }

  get seals(): Readonly<Pick<Beat, 'interval' | 'running' | 'next'>> {
    return this.#seals
  }

  /** Part of {@link Schedule}. */
  get equalTimestamps(): boolean {
    return this.#seals.interval < 1000
  }

  /** Part of {@link Schedule}. */
  sealTime(): number {
    return this.#seals.next(this.now)
  }

  /** Begins to beat for `chain`. */
  start(chain: Chain): void {
    this.#chain = chain
    this.#started = true
    if (this.#ticks.running || this.#seals.running) this.#time.resume()
    this.#stopListening = chain.onAdmit(() => this.#onAdmit())
    this.#arm()
  }

  stop(): void {
    this.#started = false
    clearTimeout(this.#timer)
    this.#stopListening?.()
  }

  /** Stops sealing, and with `ticks` the ticks; time stands still once both stand. */
  freeze(options: { ticks?: boolean } = {}): Promise<void> {
    return this.#write(() => {
      const { now } = this
      this.#seals.freeze(now)
      if (options.ticks === true) this.#ticks.freeze(now)
      if (!this.#ticks.running) this.#time.stop()
    })
  }

  /** Both clocks go on from where they stood. */
  resume(): Promise<void> {
    return this.#write(() => {
      const { now } = this
      this.#ticks.resume(now)
      this.#seals.resume(now)
      this.#time.resume()
    })
  }

  /** `count` tick intervals with a tick each; seals only where sealing runs and is due. */
  advanceTicks(count: number): Promise<void> {
    return this.#write(async (turn) => {
      for (let index = 0; index < count; index++) {
        this.#time.advance(this.#ticks.interval)
        await turn.tick()
        this.#ticks.restart(this.now)
        if (this.#seals.isDue(this.now)) await this.#seal(turn, { due: true })
        await this.#breathe()
      }
    })
  }

  /** `count` times: a tick, time plus one seal interval, a seal. */
  advanceBlocks(count: number): Promise<void> {
    return this.#write(async (turn) => {
      for (let index = 0; index < count; index++) {
        await turn.tick()
        this.#time.advance(this.#seals.interval)
        this.#ticks.restart(this.now)
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
   * Ticks, then seals, `count` times; later blocks have timestamps `interval` s apart.
   *
   * @param interval - s; default: as the sealing clock has it
   */
  tickAndSeal(count: number, interval?: number): Promise<SealedBlock> {
    return this.#write(async (turn) => {
      const chain = this.#requireChain()
      let block = chain.head
      for (let index = 0; index < count; index++) {
        if (index === 0 || chain.mempool.runnableCount > 0) await turn.tick()
        const { timestamp } = chain.pending.environment
        const last = index === count - 1
        block = await this.#seal(turn, {
          nextTimestamp: last || interval === undefined ? undefined : Number(timestamp) + interval,
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

  async #chooseTimestamp(turn: Turn, timestamp: number): Promise<void> {
    const parent = Number(this.#requireChain().head.header.timestamp)
    if (timestamp < parent || (timestamp === parent && !this.equalTimestamps)) {
      throw new TimestampError(timestamp, parent)
    }
    this.#timestamp = timestamp
    await turn.choose({ timestamp: BigInt(timestamp) })
  }

  /** What puts both clocks back to this moment. */
  snapshot(): () => void {
    const { now } = this
    const ticks = this.#ticks.snapshot(now)
    const seals = this.#seals.snapshot(now)
    const timestamp = this.#timestamp
    return () => {
      this.#time.jumpTo(now)
      this.#ticks.restore(ticks, now)
      this.#seals.restore(seals, now)
      this.#timestamp = timestamp
      if (ticks.running || seals.running) this.#time.resume()
      else this.#time.stop()
      this.#arm()
    }
  }

  async #seal(
    turn: Turn,
    options: { due?: boolean; nextTimestamp?: number | undefined } = {},
  ): Promise<SealedBlock> {
    if (this.#timestamp !== undefined) {
      this.#time.jumpTo(this.#timestamp * 1000)
      this.#ticks.restart(this.now)
      this.#seals.restart(this.now)
    } else if (options.due === true) this.#seals.step(this.now)
    else this.#seals.restart(this.now)
    this.#timestamp = options.nextTimestamp
    return turn.seal(
      options.nextTimestamp === undefined ? {} : { timestamp: BigInt(options.nextTimestamp) },
    )
  }

  #write<Result>(work: (turn: Turn) => Result | Promise<Result>): Promise<Result> {
    return this.#requireChain().write(async (turn) => {
      try {
        return await work(turn)
      } finally {
        this.#arm()
      }
    })
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
  #onAdmit(): void {
    if (this.#ticks.interval === 0 && this.#ticks.running) this.#beat()
  }

  /** Sets the timer for the next beat of either clock. */
  #arm(): void {
    clearTimeout(this.#timer)
    if (!this.#started) return
    const { now } = this
    const nexts = [this.#ticks, this.#seals]
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
    this.#write(async (turn) => {
      this.#beating = false
      const { now } = this
      if (this.#ticks.isDue(now) || this.#ticks.interval === 0) {
        if (this.#ticks.interval > 0) this.#ticks.step(now)
        if (this.#ticks.running) await turn.tick(this.#budget)
      }
      if (this.#seals.isDue(now)) await this.#seal(turn, { due: true })
    }).catch(this.#onError)
  }
}

/** Blocks that are sealed in one go before others get their turn. */
const BLOCKS_PER_BREATH = 8

/** The timestamp lies before that of the newest sealed block. */
export class TimestampError extends RefusedError {
  override name = 'TimestampError'
  constructor(timestamp: number, parent: number) {
    super(`Timestamp ${timestamp} is lower than or equal to previous block's timestamp ${parent}`)
  }
}
