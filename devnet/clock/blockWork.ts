import type { TickLimits } from '../chain/building/blockProducer.ts'
import { isEmptyBlock, type PendingView } from '../chain/building/pendingView.ts'
import type { Chain } from '../chain/chain.ts'
import type { ChainWriter } from '../chain/chainWriter.ts'
import type { Reorg, ReorgRequest } from '../chain/reorg.ts'
import type { SealedBlock } from '../protocol/block.ts'
import { hasRoom } from '../protocol/blockGas.ts'
import { maxBlobGas, nextBaseFee, nextExcessBlobGas } from '../protocol/fees.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { AddressKey, StateReader } from '../state/types.ts'
import type { ClockState } from './clockState.ts'

/** A command for more blocks than this reserves the empty ones, except the first and the last. */
const MOST_SEALED = 256

/** Number of blocks after which a long command yields to the event loop. */
const BLOCKS_PER_YIELD = 8

/** Starting point of a tick: the pending state, and the transactions that can run. */
interface Found {
  readonly state: StateReader
  /** The revision of the mempool. */
  readonly revision: number
}

/** A tick that could execute nothing. */
interface Fruitless extends Found {
  readonly lacksRoom: boolean
  /** True if a fault had it execute nothing: the next one may. */
  readonly isOmitted: boolean
}

/** Runs ticks and seals within a job on the chain's write queue. */
export class BlockWork {
  readonly state: ClockState
  readonly chain: Chain
  /** Lets waiting requests run; rejects once the node has stopped. */
  readonly yieldToOthers: () => Promise<void>
  /** The last tick that could execute nothing. */
  #fruitless: Fruitless | undefined
  #blocks = 0

  constructor(state: ClockState, chain: Chain, yieldToOthers: () => Promise<void>) {
    this.state = state
    this.chain = chain
    this.yieldToOthers = yieldToOthers
  }

  /**
   * True if a tick could execute something: a transaction is runnable, and the last tick on this
   * state and these transactions did not come up empty.
   */
  get canExecute(): boolean {
    return this.isWorthARetry || (this.#isOmitted && this.chain.mempool.runnableCount > 0)
  }

  /** As {@link canExecute}, for automatic retries: a fault may omit every tick. */
  get isWorthARetry(): boolean {
    const { state, revision } = this.#found()
    if (this.chain.mempool.runnableCount === 0) return false
    return state !== this.#fruitless?.state || revision !== this.#fruitless.revision
  }

  get #isOmitted(): boolean {
    return this.#fruitless?.isOmitted === true
  }

  #found(): Found {
    const { mempool, pending } = this.chain
    return { state: pending.state, revision: mempool.revision }
  }

  /**
   * Runs one tick; in instant mode, seals each runnable transaction in a block of its own instead.
   *
   * @param options.budget - ms after which no further transaction begins, except in instant mode;
   *   such a tick passes by what the upstream of a forked chain has not given yet. Default: no
   *   limit
   * @param options.isSliced - whether it takes no more gas than the slices of the block up to now
   *   have. Ignored in instant mode. Default: false
   */
  async tick(
    writer: ChainWriter,
    options: { budget?: number; isSliced?: boolean } = {},
  ): Promise<void> {
    const { budget, isSliced = false } = options
    const isWhole = budget === undefined
    if (this.state.instant) {
      await this.sealEach(writer, Math.max(1, this.chain.mempool.runnableCount), { isWhole })
    } else {
      await this.#tick(writer, {
        budget,
        isWhole,
        gasCeiling: isSliced ? this.#gasCeiling() : undefined,
      })
    }
  }

  /** Gas of the slices of the pending block up to the next tick; `undefined`: all of its gas. */
  #gasCeiling(): bigint | undefined {
    const { slices, ticksOnArrival } = this.state
    const { environment, ticks } = this.chain.pending
    // Ticks may also fill the slices that earlier ticks missed by a fault.
    const open = ticks + 1 + (this.state.faults?.omittedTicks ?? 0)
    if (open >= slices || ticksOnArrival) return undefined
    return (environment.gasLimit * BigInt(open)) / BigInt(slices)
  }

  /**
   * True if {@link takeMore} could pre-confirm something: ticks run, and a transaction waits that a
   * tick could execute, or that waits only for room while the sealing clock runs.
   */
  get canTakeMore(): boolean {
    const { ticks, seals } = this.state
    if (!ticks.running || this.chain.mempool.runnableCount === 0) return false
    return this.canExecute || (seals.running && this.#fruitless?.lacksRoom === true)
  }

  /**
   * Runs one tick by command. If transactions are left that had no room, and the sealing clock
   * runs, seals early.
   *
   * @returns whether it sealed, so that more can be taken
   */
  async takeMore(writer: ChainWriter): Promise<boolean> {
    if (!this.canTakeMore) return false
    await this.tick(writer)
    if (!this.state.seals.running || !lacksRoom(this.chain)) return false
    const block = await this.seal(writer)
    // A fault may have returned all transactions to the mempool.
    return !isEmptyBlock(block) && block === this.chain.head
  }

  /** Takes what was sent before a command: ticks if that can execute anything, unless frozen. */
  async takeSent(writer: ChainWriter): Promise<void> {
    if (this.state.ticks.running && this.canExecute) await this.tick(writer)
  }

  /** Seals the pending block if it holds transactions. */
  async sealPreconfirmed(writer: ChainWriter): Promise<void> {
    if (!isEmptyBlock(this.chain.pending)) await this.seal(writer)
  }

  /**
   * Seals the pending block if the sealing clock is due, and no fault makes it late. An empty block
   * for which a command chose something waits for a transaction or a command instead, unless a
   * fault keeps out those that wait. If no tick comes before it, as ticks are frozen or slower than
   * seals, the block takes what waits, as on Hardhat and anvil.
   */
  async sealIfDue(writer: ChainWriter): Promise<void> {
    const { collecting, faults, ticks, seals, now } = this.state
    if (!seals.isDue(now) || faults?.lateSeal(now) !== undefined) return
    if (!ticks.running || seals.interval < ticks.interval) {
      await this.refresh(writer)
      if (this.canExecute) await this.#tick(writer, { isWhole: false })
    }
    const waits = this.chain.hasChoice && isEmptyBlock(this.chain.pending) && !faults?.keepsOut
    if (!collecting && waits) seals.step(now)
    else if (faults?.tryToDelaySeal(now) !== true) await this.seal(writer, { isDue: true })
  }

  /** Executes all that can run, in one tick by command. */
  async take(writer: ChainWriter): Promise<void> {
    await this.#tick(writer)
  }

  /**
   * Seals up to `count` transactions, each in its own block; stops once none can be executed.
   *
   * @param limits.isWhole - see {@link TickLimits}
   */
  async sealEach(
    writer: ChainWriter,
    count: number,
    limits?: Pick<TickLimits, 'isWhole'>,
  ): Promise<void> {
    for (let index = 0; index < count; index++) {
      await this.refresh(writer)
      const executed = await this.#tick(writer, { ...limits, most: 1 })
      if (executed.length === 0) return
      await this.seal(writer)
      await this.yieldAfterBlock()
    }
  }

  /**
   * Seals the pre-confirmed transactions and all that can run, in as few blocks as possible.
   *
   * @param limits.isWhole - see {@link TickLimits}
   * @param limits.most - number of transactions to execute. Default: all
   */
  async sealAll(
    writer: ChainWriter,
    limits: Pick<TickLimits, 'isWhole' | 'most'> = {},
  ): Promise<void> {
    for (let { most } = limits; most !== 0; ) {
      await this.refresh(writer)
      const executed = await this.#tick(writer, { ...limits, most })
      if (most !== undefined) most -= executed.length
      if (isEmptyBlock(this.chain.pending)) return
      await this.seal(writer)
      await this.yieldAfterBlock()
    }
  }

  async #tick(writer: ChainWriter, limits?: TickLimits): Promise<readonly ExecutedTransaction[]> {
    const found = this.#found()
    const { faults, now } = this.state
    const executed = await (faults === undefined
      ? writer.tick(limits)
      : faults.tick(writer, limits, now))
    const isOmitted = executed === undefined
    // With slices, a transaction without room in this one may fit into the next.
    if (isOmitted || (executed.length === 0 && limits?.gasCeiling === undefined)) {
      this.#fruitless = { ...found, lacksRoom: lacksRoom(this.chain), isOmitted }
    }
    return executed ?? []
  }

  /**
   * In instant mode, and while transactions are collected, updates the timestamp of an empty
   * pending block to the current time.
   */
  async refresh(writer: ChainWriter): Promise<void> {
    if (this.state.stampsNow && isEmptyBlock(this.chain.pending)) await writer.reschedule()
  }

  /**
   * Seals the pending block as it is.
   *
   * @param options.isDue - true if the sealing clock triggered it, false if a command did.
   *   Default: false
   * @param options.nextTimestamp - timestamp of the block after it, in s. Default: as scheduled
   */
  async seal(
    writer: ChainWriter,
    options: { isDue?: boolean; nextTimestamp?: number | undefined } = {},
  ): Promise<SealedBlock> {
    const { isDue = false, nextTimestamp } = options
    const { faults, instant } = this.state
    const unseen = await faults?.beforeSeal(writer, instant)
    this.state.prepareSeal(isDue, Number(this.chain.pending.environment.timestamp))
    this.state.expectedTimestamp = nextTimestamp
    const next = nextTimestamp === undefined ? {} : { timestamp: BigInt(nextTimestamp) }
    const block = await writer.seal(next, unseen)
    if (faults !== undefined) {
      await faults.afterSeal((request) => this.reorg(writer, request), instant)
    }
    if (this.state.collecting && this.chain.mempool.runnableCount === 0) {
      this.state.endCollecting()
    }
    return block
  }

  /**
   * Reserves what a command has left, except the last block: the pending one and empty ones after
   * it. Does nothing if they are few, or if one of them could take a transaction. Ends before the
   * rules change.
   *
   * @param left - number of blocks that the command has left; it has sealed one
   * @param pace.step - ms between the timestamps
   * @param pace.interval - the same in s if the command chose it
   * @param pace.passing - ms of virtual time that pass with each block; those of the pending block
   *   have passed. Default: 0
   * @returns the number of blocks reserved
   */
  reserve(
    writer: ChainWriter,
    left: number,
    pace: { step: number; interval?: number | undefined; passing?: number },
  ): number {
    const { step, interval, passing = 0 } = pace
    if (left < MOST_SEALED || !this.#isRestEmpty()) return 0
    const state = this.state
    return writer.reserve({
      count: left - 1,
      step,
      open: ({ first, last, newest }) => {
        const timestamp = Number(newest.header.timestamp)
        if (passing > 0) state.advance((last - first) * passing)
        if (state.expectedTimestamp !== undefined) state.expectedTimestamp = timestamp
        state.prepareSeal(false, timestamp)
        if (interval === undefined) return {}
        state.expectedTimestamp = timestamp + interval
        return { timestamp: BigInt(state.expectedTimestamp) }
      },
    })
  }

  /** True if no block from the pending one on, each empty, could take a transaction that waits. */
  #isRestEmpty(): boolean {
    const { mempool, pending } = this.chain
    if (!isEmptyBlock(pending)) return false
    // As long as fees fall, a transaction that now offers too little may get its turn.
    return mempool.runnableCount === 0 || areFeesLowest(pending.environment)
  }

  /** Replaces the newest sealed blocks; see {@link reorganise}. Others run meanwhile. */
  reorg(writer: ChainWriter, request: ReorgRequest): Promise<Reorg> {
    return writer.reorg({ ...request, pause: () => this.yieldAfterBlock() })
  }

  /** To be called after each block of a long command. */
  async yieldAfterBlock(): Promise<void> {
    if (this.#blocks++ % BLOCKS_PER_YIELD === 0) await this.yieldToOthers()
  }
}

/** True if the fees of the block after this one, if it is empty, are the same. */
function areFeesLowest(environment: PendingView['environment']): boolean {
  const { baseFeePerGas, excessBlobGas, rules } = environment
  const empty = { ...environment, gasUsed: 0n, blobGasUsed: 0n }
  const baseFee = rules.baseFee ? nextBaseFee(empty, rules) : 0n
  return baseFee === baseFeePerGas && nextExcessBlobGas(empty, rules) === excessBlobGas
}

/** True if the pending block is too full for a waiting transaction that offers enough for it. */
function lacksRoom({ mempool, pending }: Chain): boolean {
  const { environment, gas, blobGasUsed } = pending
  if (isEmptyBlock(pending) || mempool.runnableCount === 0) return false
  const mostBlobGas = maxBlobGas(environment.rules.blobSchedule)
  const senders = new Set<AddressKey>()
  return mempool.runnable(environment.baseFeePerGas).some((transaction) => {
    // Only the first transaction of each sender can be next.
    if (senders.has(transaction.senderKey)) return false
    senders.add(transaction.senderKey)
    const isPaid = transaction.deposit !== undefined
    if (!isPaid && transaction.maxFeePerGas < environment.baseFeePerGas) return false
    return (
      !hasRoom(gas, transaction.gasLimit, environment.gasLimit, environment.rules) ||
      blobGasUsed + transaction.blobGas > mostBlobGas
    )
  })
}
