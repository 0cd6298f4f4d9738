import { Scheduler } from '../../engine/scheduler.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { ExecutedTransaction } from '../../protocol/receipt.ts'
import { isOpeningDeposit } from '../../protocol/rollup/openingDeposits.ts'
import type { ChainTransaction } from '../../protocol/transaction.ts'
import { applyCheat, openAgain } from '../applyCheat.ts'
import type { PendingContents, SavedPending } from '../chainBase.ts'
import type { ChainState, Told } from '../chainState.ts'
import type { Undo } from '../chainWork.ts'
import type { BlockFiller, OnMiss } from './blockFiller.ts'
import type { Replacement } from './dryRun.ts'
import { openPendingBlock } from './openPendingBlock.ts'
import type { PendingView } from './pendingView.ts'
import type { WarmUps } from './warmUps.ts'

/**
 * Builds the pending block again: without some of its transactions, in another order, or after a
 * load. Its methods run one at a time, on the write queue.
 */
export class BlockRebuilder {
  readonly #state: ChainState
  readonly #filler: BlockFiller
  readonly #warmUps: WarmUps

  constructor(state: ChainState, filler: BlockFiller, warmUps: WarmUps) {
    this.#state = state
    this.#filler = filler
    this.#warmUps = warmUps
  }

  /**
   * Opens the pending block of a chain that was just loaded, and executes again what the block held
   * when it was saved.
   *
   * @param pending - `undefined`: opens an empty block
   */
  async resume(pending: SavedPending | undefined): Promise<void> {
    const { ticks = 0, timestamp, rules, executed = [], steps = [] } = pending ?? {}
    const opened = openPendingBlock(this.#state, { ticks, timestamp, rules })
    this.#state.publish(opened)
    if (pending?.isForeign === true) {
      await this.#warmUps.ahead(executed.map(({ transaction }) => transaction))
    }
    await this.#replay(opened, { ticks, executed, steps }, { onMiss: 'wait' })
  }

  /** The transactions that a drop would execute again; none if it leaves the block as it is. */
  keptBy(hashes: ReadonlySet<Hex>): Replacement {
    const { history, pending, store } = this.#state
    const all = pending.executed.map(({ transaction }) => transaction)
    const kept = all.filter(({ hash }) => !hashes.has(hash))
    const transactions = kept.length === all.length ? [] : kept
    return { transactions, on: store.view(history.head.version) }
  }

  /**
   * Removes transactions from the mempool and the pending block for good. What was pre-confirmed
   * behind them is executed again. Later transactions of the same senders wait until others use the
   * freed nonces.
   *
   * @param hashes - unknown ones are ignored
   * @param told - of the block that is built again. Default: nothing
   */
  async drop(
    hashes: ReadonlySet<Hex>,
    reason: string,
    told?: Told,
  ): Promise<Pick<Undo, 'dropped' | 'reexecuted'>> {
    const state = this.#state
    const { pending } = state
    const scheduler = new Scheduler({ urgent: true })
    let dropped = 0
    for (const hash of hashes) {
      const pause = scheduler.yieldIfDue()
      if (pause !== undefined) await pause
      const preconfirmed = state.pendingIndex.get(hash)?.transaction
      // The deposit that opens a block cannot be dropped from it.
      if (preconfirmed !== undefined && isOpeningDeposit(preconfirmed)) continue
      const transaction = preconfirmed ?? state.mempool.remove(hash)
      if (transaction === undefined) continue
      state.drop({ hash, reason }, transaction)
      dropped++
    }
    const kept = pending.executed.filter(({ transaction }) => !hashes.has(transaction.hash))
    if (kept.length === pending.executed.length) return { dropped, reexecuted: 0 }
    return { dropped, reexecuted: await this.#buildAgain(kept, [], told) }
  }

  /**
   * Builds the pending block again, of some of its transactions, in any order that keeps those of
   * each sender. The others return to the mempool. Cheats between them stay behind as many of the
   * transactions that were before them as there still are.
   *
   * @param told - of the block that is built again. Default: nothing
   * @returns the number of transactions that were executed again
   */
  rearrange(executed: readonly ExecutedTransaction[], told?: Told): Promise<number> {
    const kept = new Set(executed)
    const left = this.#state.pending.executed.filter((one) => !kept.has(one))
    return this.#buildAgain(
      executed,
      left.map(({ transaction }) => transaction),
      told,
    )
  }

  /** @param left - transactions that return to the mempool */
  async #buildAgain(
    given: readonly ExecutedTransaction[],
    left: readonly ChainTransaction[],
    told?: Told,
  ): Promise<number> {
    const state = this.#state
    const { pending } = state
    const opening = pending.executed.filter(({ transaction }) => isOpeningDeposit(transaction))
    const kept = [...opening, ...given.filter((one) => !opening.includes(one))]
    const isKept = new Set(kept)
    const steps = pending.steps.map(({ after, cheat }) => ({
      after: pending.executed.slice(0, after).filter((one) => isKept.has(one)).length,
      cheat,
    }))
    const same = pending.executed.findIndex((one, index) => one !== kept[index])
    // A block's ticks rise: each place keeps its own.
    const ticks = pending.executed.filter((one) => isKept.has(one)).map(({ tick }) => tick)
    const executed = kept.map(({ transaction }, index) => ({
      transaction,
      tick: ticks[index] ?? 0,
    }))
    state.store.abandon(state.history.head.version)
    const contents = { ticks: pending.ticks, executed, steps }
    await this.#replay(openAgain(pending, state), contents, { onMiss: 'pass', taken: left, told })
    const again = state.pending.executed.slice(same === -1 ? kept.length : same)
    state.noteReexecuted(again)
    return again.length
  }

  /**
   * Executes contents of a pending block again, and publishes the outcome at once. Transactions
   * that cannot run now return to the mempool; those that never can are dropped.
   *
   * @param options.onMiss - `wait` holds up the write queue: only before anything else can run
   * @param options.taken - transactions of the block that return to the mempool. Default: none
   * @param options.told - of the outcome. Default: nothing
   */
  async #replay(
    opened: PendingView,
    { ticks, executed, steps }: PendingContents,
    {
      onMiss,
      taken = [],
      told,
    }: { onMiss: OnMiss; taken?: readonly ChainTransaction[]; told?: Told | undefined },
  ): Promise<void> {
    const stepsAfter = Map.groupBy(steps, ({ after }) => after)
    const left: ChainTransaction[] = []
    let view = opened
    const applyStepsAfter = (count: number) => {
      for (const { cheat } of stepsAfter.get(count) ?? [])
        view = applyCheat(cheat, view, this.#state)
    }
    applyStepsAfter(0)
    for (let start = 0; start < executed.length; ) {
      const tick = executed[start]?.tick ?? 0
      let end = start + 1
      while (executed[end]?.tick === tick && !stepsAfter.has(end)) end++
      const transactions = executed.slice(start, end).map(({ transaction }) => transaction)
      const outcome = await this.#filler.execute(
        { ...view, ticks: tick },
        { transactions, areWaiting: false, onMiss },
      )
      const again = new Set(outcome.executed.map(({ transaction }) => transaction.hash))
      left.push(...transactions.filter((one) => !again.has(one.hash) && !outcome.dropped.has(one)))
      view = outcome.view
      applyStepsAfter(end)
      start = end
    }
    this.#state.publish({ ...view, ticks }, told)
    this.#state.putBack([...left, ...taken])
  }
}
