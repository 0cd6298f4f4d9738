import { libraryReason } from '../engine/executionResult.ts'
import type { Execution } from '../engine/types.ts'
import { DevnetError, RefusedError } from '../primitives/errors.ts'
import type { Hex } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import { isEmptyDiff } from '../state/diffs.ts'
import type { AddressKey, StateDiff, StateReader } from '../state/types.ts'
import { BlockBuilder } from './blockBuilder.ts'
import type { ChainState } from './chainState.ts'
import type { NextBlockOverrides } from './chainWork.ts'
import { openPendingBlock, scheduledTimestamp } from './openPendingBlock.ts'
import type { PendingView } from './pendingView.ts'
import { sealBlock } from './sealing.ts'

/** The node was stopped before the job was done. */
export class NodeStoppedError extends RefusedError {
  override name = 'NodeStoppedError'
  constructor() {
    super('The node was stopped')
  }
}

/** Limits at which a tick ends, even if more transactions could run. */
export interface TickLimits {
  /** ms after which no further transaction begins. Default: none. */
  readonly budget?: number | undefined
  /** Maximum number of transactions to execute. Default: no limit. */
  readonly most?: number | undefined
}

/** The executed transactions, and what the EVM reported of each, in the same order. */
export interface TickResult {
  readonly executed: readonly ExecutedTransaction[]
  readonly executions: readonly Execution[]
}

/** The pending block of a saved chain, to be executed again. */
export interface SavedPending {
  /** s since the epoch; `undefined`: use the timestamp that a block opened now would get. */
  readonly timestamp: bigint | undefined
  /** Number of ticks that the block had when it was saved. */
  readonly ticks: number
  /** In block order, each with the tick that executed it. */
  readonly executed: readonly { readonly transaction: ChainTransaction; readonly tick: number }[]
}

/** What to change when the pending block is executed again. */
interface Reopening {
  /** A cheat: a change of the newest sealed state. */
  readonly makeDiff?: (state: StateReader) => StateDiff
  /** Whether the block gets the timestamp that a block opened now would get. Default: false. */
  readonly rescheduled?: boolean
  /** Hashes of transactions to remove from the block for good. */
  readonly without?: ReadonlySet<Hex>
}

/** Transactions to try in the pending block, in this order. */
interface Candidates {
  readonly transactions: readonly ChainTransaction[]
  /** Value of `performance.now()` after which no further transaction begins. Default: none. */
  readonly deadline?: number
  /** Maximum number of transactions to execute. Default: no limit. */
  readonly most?: number | undefined
  /** Whether they are in the mempool; if so, each is locked while it runs, or skipped if gone. */
  readonly areWaiting: boolean
}

/** Opens, fills and seals the pending block. Its methods run one at a time, on the write queue. */
export class BlockProducer {
  readonly #state: ChainState

  constructor(state: ChainState) {
    this.#state = state
  }

  /** Executes the runnable transactions and publishes the new pending view. */
  async tick({ budget, most }: TickLimits = {}): Promise<TickResult> {
    const { mempool, pending: view } = this.#state
    const transactions = mempool.runnable(view.environment.baseFeePerGas)
    const deadline = performance.now() + (budget ?? Number.POSITIVE_INFINITY)
    const result = await this.#execute(view, { transactions, deadline, most, areWaiting: true })
    if (result.executed.length === 0) this.#state.publish({ ...view, ticks: view.ticks + 1 })
    mempool.taken(new Set(result.executed.map(({ transaction }) => transaction.hash)))
    // An account's nonce can also rise without a transaction of its own: by an authorization, or by
    // a CREATE if the account is delegated (EIP-7702). Waiting transactions may become stale or
    // runnable.
    if (mempool.hasStale()) this.#reportDead(mempool.putBack([]))
    return result
  }

  /** Executes what can run on top of `view`, and publishes the outcome if anything ran. */
  async #execute(
    view: PendingView,
    { transactions, ...limits }: Candidates,
  ): Promise<TickResult & { readonly dropped: ReadonlySet<ChainTransaction> }> {
    const { engine, store, mempool, closing, blockHashes } = this.#state
    const { rules } = view.environment
    const dropped = new Set<ChainTransaction>()
    let left = transactions
    while (left.length > 0) {
      const executor = engine.loaded(rules) ?? (await engine.executor(rules))
      const machine = await executor.acquire(view.state, blockHashes)
      machine.scheduler.begin({ urgent: true, signal: closing.signal })
      const builder = new BlockBuilder(view, executor, machine)
      const { executed, executions } = builder
      if (await this.#fill(builder, { transactions: left, ...limits }, dropped)) {
        if (executed.length > 0) this.#state.publish(builder.finish(store))
        executor.release(machine)
        return { executed, executions, dropped }
      }
      // The machine is unusable, and what it ran is lost: retry without the refused transaction.
      for (const { transaction } of executed) mempool.unlock(transaction.hash)
      left = left.filter((transaction) => !dropped.has(transaction))
    }
    return { executed: [], executions: [], dropped }
  }

  /**
   * Runs candidates until a limit is reached.
   *
   * @param dropped - collects the candidates that can never run
   * @returns false if the EVM refused one, which makes the builder's machine unusable
   */
  async #fill(
    builder: BlockBuilder,
    candidates: Candidates,
    dropped: Set<ChainTransaction>,
  ): Promise<boolean> {
    const { mempool, closing } = this.#state
    const { deadline = Number.POSITIVE_INFINITY, most = Number.POSITIVE_INFINITY } = candidates
    const drop = (transaction: ChainTransaction, reason: string) => {
      dropped.add(transaction)
      mempool.remove(transaction.hash)
      this.#state.drop(transaction.hash, reason)
    }
    // Senders of a transaction that cannot run now: their later nonces have to wait with it.
    const blocked = new Set<AddressKey>()
    for (const candidate of candidates.transactions) {
      const { length } = builder.executed
      if (length >= most || (length > 0 && performance.now() > deadline)) break
      if (blocked.has(candidate.senderKey)) continue
      let transaction = candidate
      if (!builder.isUnderRules(candidate)) {
        try {
          transaction = builder.redecode(candidate)
        } catch (error) {
          if (!(error instanceof DevnetError)) throw error
          drop(candidate, error.message)
          continue
        }
      }
      const obstacle = builder.obstacle(transaction)
      if (obstacle === 'stale nonce') {
        // The nonce rose without a transaction, e.g. by a delegated account's CREATE (EIP-7702).
        drop(candidate, builder.staleNonce(transaction).message)
        continue
      }
      const isGone = () => candidates.areWaiting && !mempool.lock(candidate.hash)
      if (obstacle !== undefined || isGone()) {
        blocked.add(candidate.senderKey)
        continue
      }
      try {
        await builder.execute(transaction)
      } catch (error) {
        if (closing.signal.aborted) throw new NodeStoppedError()
        const reason = libraryReason(error)
        drop(candidate, `transaction ${candidate.hash} could not be executed: ${reason}`)
        return false
      }
    }
    return true
  }

  /** Seals the pending block as it is, and opens the one after it with the overrides `next`. */
  async seal(next: NextBlockOverrides = {}): Promise<SealedBlock> {
    const state = this.#state
    const block = await sealBlock(state.pending, state)
    state.history.push(block)
    // The gas limit of the block can differ from the setting: the first London block doubles it.
    const settings = { ...state.work.settings, gasLimit: block.header.gasLimit }
    state.update({ settings, next, cheatDiffs: [] })
    state.publish(openPendingBlock(state))
    return block
  }

  /**
   * Opens the pending block again, under the present settings and cheats, and executes its
   * transactions again. Those that cannot run now return to the mempool; those that never can are
   * dropped.
   */
  async reopen({ makeDiff, rescheduled, without }: Reopening = {}): Promise<void> {
    const state = this.#state
    const { head } = state.history
    const before = state.pending
    const diff = makeDiff?.(state.store.view(head.version))
    state.store.abandon(head.version)
    if (diff !== undefined && !isEmptyDiff(diff)) {
      head.version = state.store.commit(diff)
      state.update({ cheatDiffs: [...state.work.cheatDiffs, diff] })
    }
    const timestamp = rescheduled === true ? undefined : before.environment.timestamp
    const opened = openPendingBlock(state, { ticks: before.ticks, timestamp })
    const transactions = before.executed
      .map(({ transaction }) => transaction)
      .filter(({ hash }) => without?.has(hash) !== true)
    await this.#reexecute(opened, transactions)
  }

  /**
   * Opens the pending block of a chain that was just loaded, and executes again what the block held
   * when it was saved.
   *
   * @param pending - `undefined`: opens an empty block
   */
  async resume(pending: SavedPending | undefined): Promise<void> {
    const state = this.#state
    const { ticks = 0, timestamp, executed = [] } = pending ?? {}
    state.publish(openPendingBlock(state, { ticks, timestamp }))
    const byTick = Map.groupBy(executed, ({ tick }) => tick)
    for (const [tick, ofTick] of byTick) {
      const transactions = ofTick.map(({ transaction }) => transaction)
      await this.#reexecute({ ...state.pending, ticks: tick }, transactions)
    }
    if (byTick.size > 0) state.publish({ ...state.pending, ticks })
  }

  /**
   * Gives the pending block the timestamp that a block opened now would get, unless a command chose
   * another.
   */
  async reschedule(): Promise<void> {
    const state = this.#state
    if (state.work.next.timestamp !== undefined) return
    if (scheduledTimestamp(state) === state.pending.environment.timestamp) return
    await this.reopen({ rescheduled: true })
  }

  /**
   * Removes transactions from the mempool and the pending block for good. Later transactions of the
   * same senders wait until others use the freed nonces.
   *
   * @param hashes - unknown ones are ignored
   */
  async drop(hashes: ReadonlySet<Hex>, reason: string): Promise<void> {
    const state = this.#state
    let reopens = false
    for (const hash of hashes) {
      const isPreconfirmed = state.pendingIndex.has(hash)
      if (!isPreconfirmed && state.mempool.remove(hash) === undefined) continue
      reopens ||= isPreconfirmed
      state.drop(hash, reason)
    }
    if (reopens) await this.reopen({ without: hashes })
  }

  async #reexecute(opened: PendingView, transactions: readonly ChainTransaction[]): Promise<void> {
    const { mempool } = this.#state
    const { executed, dropped } = await this.#execute(opened, { transactions, areWaiting: false })
    if (executed.length === 0) this.#state.publish(opened)
    const again = new Set(executed.map(({ transaction }) => transaction.hash))
    const left = transactions.filter((one) => !again.has(one.hash) && !dropped.has(one))
    this.#reportDead(mempool.putBack(left))
  }

  #reportDead(dead: readonly { transaction: ChainTransaction; reason: string }[]): void {
    for (const { transaction, reason } of dead) this.#state.drop(transaction.hash, reason)
  }
}
