import { DevnetError, RefusedError } from '../primitives/errors.ts'
import type { Hex } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import { isEmptyDiff } from '../state/diffs.ts'
import type { AddressKey, StateDiff, StateReader } from '../state/types.ts'
import { BlockBuilder, ExecutionRefusedError, extendView, type TickResult } from './blockBuilder.ts'
import type { SavedPending } from './chainBase.ts'
import type { ChainState, NextBlockOverrides } from './chainState.ts'
import { openPendingView, scheduledTimestamp } from './openPendingBlock.ts'
import type { PendingView } from './pendingView.ts'
import { sealBlock } from './sealing.ts'

/** The node was stopped while it executed. */
export class NodeStoppedError extends RefusedError {
  override name = 'NodeStoppedError'
  constructor() {
    super('The node was stopped')
  }
}

/** Where a tick ends though more could run. */
export interface TickLimits {
  /** ms after which no further transaction is begun; default: none. */
  readonly budget?: number | undefined
  /** Transactions; default: no limit. */
  readonly most?: number | undefined
}

/** What changes under the pre-confirmed transactions. */
export interface Reopening {
  /** A cheat, from the newest sealed state. */
  readonly makeDiff?: (state: StateReader) => StateDiff
  /** Gives the block the timestamp of one that opens now, instead of the one that it has. Default: false. */
  readonly anew?: boolean
  /** Hashes of transactions that leave the block for good. */
  readonly without?: ReadonlySet<Hex>
}

/** One walk over candidates for the pending block. */
interface Run {
  readonly candidates: readonly ChainTransaction[]
  /** `performance.now()` after which no further transaction is begun. */
  readonly deadline: number
  /** How many may run. */
  readonly most: number
  /** Keeps a transaction from being replaced meanwhile; false where it is gone already. */
  readonly lock: (hash: Hex) => boolean
  /** Collects what can never run. */
  readonly dropped: Set<Hex>
}

const NOTHING: TickResult = { executed: [], executions: [] }

/** Opens, fills and seals the pending block. Its methods run one at a time, on the writer's queue. */
export class BlockProducer {
  readonly #state: ChainState

  constructor(state: ChainState) {
    this.#state = state
  }

  /**
   * Executes the runnable transactions and publishes the new pending view.
   *
   * @returns what the tick took
   */
  async tick(limits: TickLimits = {}): Promise<TickResult> {
    const { budget = Number.POSITIVE_INFINITY, most = Number.POSITIVE_INFINITY } = limits
    const state = this.#state
    const view = state.pending
    const candidates = state.mempool.runnable(view.environment.baseFeePerGas)
    const taken =
      candidates.length === 0
        ? NOTHING
        : await this.#execute(view, {
            candidates,
            deadline: performance.now() + budget,
            most,
            lock: (hash) => state.mempool.lock(hash),
            dropped: new Set(),
          })
    const { executed } = taken
    if (executed.length === 0) state.publish({ ...view, ticks: view.ticks + 1 })
    state.mempool.taken(new Set(executed.map(({ transaction }) => transaction.hash)))
    // An authorization uses up a nonce of somebody who sent nothing, and so does a delegated account that makes a
    // contract (EIP-7702): what waits may be too late now, or have its turn.
    if (state.mempool.hasStale()) this.#report(state.mempool.rebase())
    return taken
  }

  /** Executes what can run on top of `view`, and publishes the outcome if anything ran. */
  async #execute(view: PendingView, run: Run): Promise<TickResult> {
    const { engine, store, mempool, cheatDiffs, blockDiffs } = this.#state
    const { rules } = view.environment
    const executor = engine.loaded(rules) ?? (await engine.executor(rules))
    const machine = await executor.acquire(view.state, this.#state.blockHashes)
    machine.scheduler.begin({ urgent: true, signal: this.#state.closing.signal })
    const diffs = () => [...cheatDiffs, ...blockDiffs]
    const builder = new BlockBuilder(view, executor, machine, diffs)
    const refused = await this.#fill(builder, run)
    if (refused !== undefined) {
      // The machine is spoilt, and with it what ran before: once more, without the culprit.
      for (const { transaction } of builder.executed) mempool.unlock(transaction.hash)
      const candidates = run.candidates.filter((candidate) => candidate !== refused)
      return this.#execute(view, { ...run, candidates })
    }
    if (builder.executed.length > 0) {
      const diff = machine.overlay.takeDiff()
      const version = store.commit(diff)
      this.#state.blockDiffs.push(diff)
      this.#state.publish(extendView(view, builder.executed, builder, store.view(version)))
    }
    executor.release(machine)
    return builder
  }

  /** Runs candidates until the deadline; answers the one that the EVM refused, if it did. */
  async #fill(builder: BlockBuilder, run: Run): Promise<ChainTransaction | undefined> {
    // Later nonces of a sender wait with the one that cannot run.
    const blocked = new Set<AddressKey>()
    for (const candidate of run.candidates) {
      const { length } = builder.executed
      if (length >= run.most || (length > 0 && performance.now() > run.deadline)) break
      if (blocked.has(candidate.senderKey)) continue
      const transaction = this.#underRules(candidate, builder, run)
      if (transaction === undefined) continue
      const obstacle = builder.obstacle(transaction)
      if (obstacle === 'stale nonce') {
        // Used up by something else than a tick: a contract that the sender delegated to made another (EIP-7702).
        this.#drop(transaction, builder.staleNonce(transaction).message, run)
        continue
      }
      if (obstacle !== undefined || !run.lock(transaction.hash)) {
        blocked.add(transaction.senderKey)
        continue
      }
      try {
        await builder.execute(transaction)
      } catch (error) {
        if (this.#state.closing.signal.aborted) throw new NodeStoppedError()
        this.#drop(transaction, new ExecutionRefusedError(transaction.hash, error).message, run)
        return candidate
      }
    }
    return undefined
  }

  /** The transaction as the block's rules have it; what they refuse is dropped. */
  #underRules(
    transaction: ChainTransaction,
    builder: BlockBuilder,
    run: Run,
  ): ChainTransaction | undefined {
    if (builder.isUnderRules(transaction)) return transaction
    try {
      return builder.redecode(transaction)
    } catch (error) {
      if (!(error instanceof DevnetError)) throw error
      this.#drop(transaction, error.message, run)
      return undefined
    }
  }

  #drop(transaction: ChainTransaction, reason: string, run: Run): void {
    run.dropped.add(transaction.hash)
    this.#state.mempool.remove(transaction.hash)
    this.#state.drop(transaction.hash, reason)
  }

  /** Seals the pending block as it is, and opens the one after it with `next`. */
  async seal(next: NextBlockOverrides = {}): Promise<SealedBlock> {
    const state = this.#state
    const view = state.pending
    const block = await sealBlock(
      view,
      [...state.cheatDiffs, ...state.blockDiffs],
      state.engine,
      state.store,
      state.blockHashes,
    )
    state.history.push(block)
    state.cheatDiffs = []
    // London doubles it.
    state.settings.gasLimit = block.header.gasLimit
    state.next = next
    state.publish(openPendingView(state, 0))
    return block
  }

  /**
   * Opens the pending block anew, under the choices and the cheats that hold now, and executes its transactions again.
   * Those that cannot run any more go back to the mempool, or are dropped where they never can again.
   */
  async reopen({ makeDiff, anew, without }: Reopening = {}): Promise<void> {
    const state = this.#state
    const { head } = state.history
    const before = state.pending
    const diff = makeDiff?.(state.store.view(head.version))
    state.store.abandon(head.version)
    if (diff !== undefined && !isEmptyDiff(diff)) {
      head.version = state.store.commit(diff)
      state.cheatDiffs.push(diff)
    }
    const timestamp = anew === true ? undefined : before.environment.timestamp
    const opened = openPendingView(state, before.ticks, timestamp)
    const transactions = before.executed
      .map(({ transaction }) => transaction)
      .filter(({ hash }) => without?.has(hash) !== true)
    if (transactions.length === 0) {
      state.publish(opened)
      this.#report(state.mempool.rebase())
      return
    }
    await this.#reexecute(opened, transactions)
  }

  /**
   * Opens the pending block over another newest block, and executes again what it held when it was saved.
   *
   * @param pending - default: a fresh block
   */
  async resume(pending: SavedPending | undefined): Promise<void> {
    const state = this.#state
    const ticks = pending?.ticks ?? 0
    state.publish(openPendingView(state, ticks, pending?.timestamp))
    const byTick = Map.groupBy(pending?.executed ?? [], ({ tick }) => tick)
    for (const [tick, executed] of byTick) {
      const transactions = executed.map(({ transaction }) => transaction)
      await this.#reexecute({ ...state.pending, ticks: tick }, transactions)
    }
    if (byTick.size > 0) state.publish({ ...state.pending, ticks })
  }

  /** Gives the pending block the timestamp of one that opens now, unless it has one by command. */
  async reschedule(): Promise<void> {
    const state = this.#state
    if (state.next.timestamp !== undefined) return
    if (scheduledTimestamp(state) === state.pending.environment.timestamp) return
    await this.reopen({ anew: true })
  }

  /**
   * Takes transactions out of the mempool and the pending block for good; those of their senders behind them wait for
   * others with their nonces.
   *
   * @param hashes - those that are neither here nor there are ignored
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
    const state = this.#state
    const dropped = new Set<Hex>()
    const { executed } = await this.#execute(opened, {
      candidates: transactions,
      deadline: Number.POSITIVE_INFINITY,
      most: Number.POSITIVE_INFINITY,
      lock: () => true,
      dropped,
    })
    if (executed.length === 0) state.publish(opened)
    const again = new Set(executed.map(({ transaction }) => transaction.hash))
    const left = transactions.filter(({ hash }) => !again.has(hash) && !dropped.has(hash))
    this.#report(state.mempool.putBack(left))
  }

  #report(dead: readonly { transaction: ChainTransaction; reason: string }[]): void {
    for (const { transaction, reason } of dead) this.#state.drop(transaction.hash, reason)
  }
}
