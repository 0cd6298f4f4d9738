import { ValueMissingError } from '../../engine/scheduler.ts'
import { DevnetError, RefusedError, reasonOf } from '../../primitives/errors.ts'
import { isOpeningDeposit } from '../../protocol/rollup/openingDeposits.ts'
import type { ChainTransaction } from '../../protocol/transaction.ts'
import { UpstreamError } from '../../state/remote/remoteSource.ts'
import type { AddressKey } from '../../state/types.ts'
import type { ChainState } from '../chainState.ts'
import { BlockBuilder, type TickResult } from './blockBuilder.ts'
import { openOpStackBlock } from './openOpStackBlock.ts'
import type { PendingView } from './pendingView.ts'
import { AwaitedError, type WarmUps } from './warmUps.ts'

export interface Outcome extends TickResult {
  readonly view: PendingView
  /** The candidates that can never run. */
  readonly dropped: ReadonlySet<ChainTransaction>
  /** Transactions that read values which the upstream did not give. */
  readonly missing: ReadonlySet<ChainTransaction>
}

/** Transactions to try in the pending block, in this order. */
export interface Candidates {
  readonly transactions: readonly ChainTransaction[]
  /** Value of `performance.now()` after which no further transaction begins. Default: none. */
  readonly deadline?: number
  /** Maximum number of transactions to execute. Default: no limit. */
  readonly most?: number | undefined
  /** Gas that the block may have used at its end, limits of transactions counted. Default: all. */
  readonly gasCeiling?: bigint | undefined
  /** True if they are in the mempool; if so, each is locked while it runs, or skipped if gone. */
  readonly areWaiting: boolean
  /** True if the mempool keeps them, even those that can never run. Default: false. */
  readonly areKept?: boolean
  /** Treatment of those that read what the upstream of a forked chain has not given yet. */
  readonly onMiss: OnMiss
  /** True to pass a transaction by, and with it the later ones of its sender. Default: none */
  readonly passesBy?: ((transaction: ChainTransaction) => boolean) | undefined
}

/**
 * `pass`: they wait for another tick, with the later ones of their senders. `giveUp`: ends with an
 * {@link AwaitedError}. `wait`: waits amid the execution, which holds up the write queue.
 */
export type OnMiss = 'pass' | 'giveUp' | 'wait'

/** Candidates that did not run, collected over several attempts. */
interface Passed {
  /** Transactions that can never run. */
  readonly dropped: Set<ChainTransaction>
  /** Transactions that read values which the upstream has not given yet. */
  readonly missing: Set<ChainTransaction>
}

/** Executes transactions in the pending block, one call at a time, on the write queue. */
export class BlockFiller {
  readonly #state: ChainState
  readonly #warmUps: WarmUps

  constructor(state: ChainState, warmUps: WarmUps) {
    this.#state = state
    this.#warmUps = warmUps
  }

  /** Executes what can run on top of `view`. The new view is committed, but not published. */
  async execute(view: PendingView, candidates: Candidates): Promise<Outcome> {
    const { store } = this.#state
    const [first] = candidates.transactions
    const isOpen = !view.environment.rules.opStack || view.executed.length > 0
    if (isOpen || (first !== undefined && isOpeningDeposit(first))) {
      return await this.#executeOn(view, candidates)
    }
    const opened = await openOpStackBlock(view, this.#state)
    let outcome: Outcome | undefined
    try {
      outcome = await this.#executeOn(opened.view, candidates)
    } finally {
      if (outcome === undefined) store.abandon(view.state.version)
    }
    if (outcome.executed.length === 0) return outcome
    return {
      ...outcome,
      executed: [...opened.executed, ...outcome.executed],
      executions: [...opened.executions, ...outcome.executions],
    }
  }

  /** As {@link execute}, on a block whose opening has been executed. */
  async #executeOn(view: PendingView, { transactions, ...limits }: Candidates): Promise<Outcome> {
    const { engine, store, closing, blockHashes } = this.#state
    const { rules } = view.environment
    const passed: Passed = { dropped: new Set(), missing: new Set() }
    const { dropped, missing } = passed
    let left = transactions
    while (left.length > 0) {
      const executor = engine.loaded(rules) ?? (await engine.executor(rules))
      const machine = await executor.acquire(view.state, blockHashes)
      const waits = limits.onMiss === 'wait'
      machine.scheduler.begin({ urgent: true, signal: closing.signal, waits })
      const builder = new BlockBuilder(view, executor, machine, limits.gasCeiling)
      const { executed, executions } = builder
      if (await this.#fill(builder, { transactions: left, ...limits }, passed)) {
        const extended = executed.length === 0 ? view : builder.finish(store)
        executor.release(machine)
        return { view: extended, executed, executions, dropped, missing }
      }
      // The machine is unusable, and what it ran is lost: retry without the refused transaction.
      this.unlock(executed.map(({ transaction }) => transaction))
      left = left.filter((transaction) => !dropped.has(transaction))
    }
    return { view, executed: [], executions: [], dropped, missing }
  }

  /**
   * Runs candidates until a limit is reached.
   *
   * @param passed - collects the candidates that do not run
   * @returns false if one of them made the builder's machine unusable
   * @throws {AwaitedError}
   */
  async #fill(
    builder: BlockBuilder,
    candidates: Candidates,
    { dropped, missing }: Passed,
  ): Promise<boolean> {
    const { mempool, closing } = this.#state
    const passesBy = candidates.onMiss === 'pass'
    const isForked = this.#state.origin !== undefined
    const { deadline = Number.POSITIVE_INFINITY, most = Number.POSITIVE_INFINITY } = candidates
    const drop = (transaction: ChainTransaction, reason: string) => {
      dropped.add(transaction)
      if (candidates.areKept === true) return
      mempool.remove(transaction.hash)
      this.#state.drop({ hash: transaction.hash, reason }, transaction)
    }
    // Senders of a transaction that cannot run now: their later nonces have to wait with it.
    const blocked = new Set<AddressKey>()
    for (const candidate of candidates.transactions) {
      const { length } = builder.executed
      if (length >= most || (length > 0 && performance.now() > deadline)) break
      if (candidate.deposit === undefined && blocked.has(candidate.senderKey)) continue
      if (candidates.passesBy?.(candidate) === true) {
        blocked.add(candidate.senderKey)
        continue
      }
      if (isForked) {
        const reason = candidates.areWaiting ? this.#warmUps.verdict(candidate) : undefined
        if (reason !== undefined) {
          drop(candidate, reason)
          continue
        }
        if (missing.has(candidate) || this.#warmUps.holds(candidate, passesBy)) {
          missing.add(candidate)
          blocked.add(candidate.senderKey)
          continue
        }
      }
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
        const pause = builder.execute(transaction)
        if (pause !== undefined) await pause
      } catch (error) {
        if (closing.signal.aborted) throw nodeStopped()
        if (error instanceof ValueMissingError && !passesBy) {
          throw new AwaitedError(candidate, error.ready)
        }
        if (error instanceof ValueMissingError || error instanceof UpstreamError) {
          // Back to the mempool, which it has not left.
          mempool.unlock(candidate.hash)
          missing.add(candidate)
          blocked.add(candidate.senderKey)
          if (candidates.areWaiting) this.#warmUps.missed(candidate, error)
          if (builder.recover()) continue
          return false
        }
        const reason = reasonOf(error)
        drop(candidate, `transaction ${candidate.hash} could not be executed: ${reason}`)
        return false
      }
    }
    return true
  }

  /** Returns transactions to the mempool that did not run after all. */
  unlock(transactions: readonly ChainTransaction[]): void {
    for (const { hash } of transactions) this.#state.mempool.unlock(hash)
  }
}

/** The node was stopped before the job was done. */
export function nodeStopped(): RefusedError {
  return new RefusedError('The node was stopped')
}
