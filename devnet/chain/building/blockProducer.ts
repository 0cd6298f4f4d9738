import { DevnetError } from '../../primitives/errors.ts'
import { requireTrie, type SealedBlock } from '../../protocol/block.ts'
import type { ChainTransaction } from '../../protocol/transaction.ts'
import { mergeDiffs } from '../../state/diffs.ts'
import { applyCheat } from '../applyCheat.ts'
import type { ChainState, Told } from '../chainState.ts'
import type { ChainWork, NextBlockOverrides } from '../chainWork.ts'
import type { Cheat } from '../cheats.ts'
import { lastUnderRules, ReservedRange, reservedHeaders } from '../reservedRange.ts'
import type { TickResult } from './blockBuilder.ts'
import type { BlockFiller, Candidates, Outcome } from './blockFiller.ts'
import { openOpStackBlock } from './openOpStackBlock.ts'
import { isOutdated, openPendingBlock } from './openPendingBlock.ts'
import { isEmptyBlock, type PendingView } from './pendingView.ts'
import { sealBlock } from './sealing.ts'

/** Limits at which a tick ends, even if more transactions could run. */
export interface TickLimits extends Pick<Candidates, 'most' | 'gasCeiling' | 'passesBy'> {
  /** ms after which no further transaction begins. Default: none. */
  readonly budget?: number | undefined
  /**
   * True if nothing is passed by because it reads what the upstream of a forked chain has not given
   * yet: the tick then ends with an {@link AwaitedError} before it has changed anything. Default:
   * true.
   */
  readonly isWhole?: boolean | undefined
}

/** The pending block as a tick would leave it. */
interface Preview extends Outcome {
  /** The base that it was made from: the pending view, and the revision of the mempool. */
  readonly base: PendingView
  readonly revision: number
  /** The transactions that were tried, in order. */
  readonly tried: readonly ChainTransaction[]
  /** Its state is retained. */
  readonly view: PendingView
}

const NOTHING: Pick<Preview, 'tried' | 'executed' | 'executions'> = {
  tried: [],
  executed: [],
  executions: [],
}

/** Blocks to reserve, see {@link BlockProducer.reserve}. */
export interface ReserveRequest {
  readonly count: number
  readonly step: number
  readonly open: (range: ReservedRange) => NextBlockOverrides
}

/** Opens, fills and seals the pending block. Its methods run one at a time, on the write queue. */
export class BlockProducer {
  readonly #state: ChainState
  readonly #filler: BlockFiller
  #preview: Preview | undefined

  constructor(state: ChainState, filler: BlockFiller) {
    this.#state = state
    this.#filler = filler
  }

  /**
   * The pending block as a tick would leave it now; changes neither the chain nor the mempool.
   *
   * @returns a view whose state the caller has to release
   * @throws {AwaitedError} if it lacks a value of the upstream
   */
  async preview(): Promise<PendingView> {
    const { pending: base, mempool, store } = this.#state
    const { revision } = mempool
    if (this.#preview?.base !== base || this.#preview.revision !== revision) {
      const tried = mempool.runnable(base.environment.baseFeePerGas)
      const outcome = await this.#executeRest(base, {
        transactions: tried,
        areWaiting: false,
        areKept: true,
        onMiss: 'giveUp',
      })
      // Retained versions stay readable although they are abandoned.
      outcome.view.state.retain()
      store.abandon(base.state.version)
      this.#preview?.view.state.release()
      this.#preview = { ...outcome, base, revision, tried }
    }
    this.#preview.view.state.retain()
    return this.#preview.view
  }

  /** As {@link BlockFiller.execute}, but takes over what the last preview has executed. */
  async #executeRest(base: PendingView, candidates: Candidates): Promise<Outcome> {
    const known = this.#extendable(base, candidates)
    const { tried, executed, executions } = known ?? NOTHING
    if (candidates.areWaiting) {
      for (const { transaction } of executed) this.#state.mempool.lock(transaction.hash)
    }
    const transactions = candidates.transactions.slice(tried.length)
    let rest: Outcome
    try {
      rest = await this.#filler.execute(known?.view ?? base, { ...candidates, transactions })
    } catch (error) {
      if (candidates.areWaiting) this.#filler.unlock(candidates.transactions)
      // The preview was not published, so the next tick must not build on its state.
      if (known !== undefined) this.#state.store.abandon(base.state.version)
      throw error
    }
    return {
      view: rest.view,
      executed: [...executed, ...rest.executed],
      executions: [...executions, ...rest.executions],
      dropped: rest.dropped,
      missing: rest.missing,
    }
  }

  /**
   * The last preview if it tried the first of these transactions, and could drop none. Its state is
   * committed again, as new versions follow on the store's head.
   */
  #extendable(base: PendingView, candidates: Candidates): Preview | undefined {
    const { transactions, most, gasCeiling, passesBy } = candidates
    const { store } = this.#state
    const known = this.#preview
    if (known?.base !== base || known.executed.length === 0) return undefined
    if (most !== undefined || gasCeiling !== undefined || passesBy !== undefined) return undefined
    if (known.dropped.size > 0) return undefined
    if (known.tried.some((transaction, index) => transaction !== transactions[index])) return
    const { view } = known
    const diff = mergeDiffs(view.blockDiffs.slice(base.blockDiffs.length))
    const blockDiffs = [...base.blockDiffs, diff]
    return { ...known, view: { ...view, blockDiffs, state: store.view(store.commit(diff)) } }
  }

  /** Releases the last preview if the pending block has changed since. */
  endPreview(): void {
    if (this.#preview === undefined || this.#preview.base === this.#state.pending) return
    this.#preview.view.state.release()
    this.#preview = undefined
  }

  /**
   * Executes the runnable transactions and publishes the new pending view.
   *
   * @throws {AwaitedError} if it must execute everything, but lacks a value of the upstream
   */
  async tick(limits: TickLimits = {}): Promise<TickResult> {
    const result = await this.#tryWaiting(limits)
    this.#showTick(result)
    return result
  }

  /** Executes the runnable transactions on top of the pending block; shows nothing of it. */
  #tryWaiting({ budget, isWhole = true, ...limits }: TickLimits): Promise<Outcome> {
    const { mempool, pending: view } = this.#state
    const transactions = mempool.runnable(view.environment.baseFeePerGas)
    const deadline = performance.now() + (budget ?? Number.POSITIVE_INFINITY)
    const onMiss = isWhole ? 'giveUp' : 'pass'
    const candidates = { transactions, deadline, ...limits, onMiss, areWaiting: true } as const
    return this.#executeRest(view, candidates)
  }

  /**
   * Executes transactions of which the mempool may know nothing, and publishes the new pending
   * view. Those that can never run are dropped.
   *
   * @returns also those that did not run as the upstream has not given what they read
   */
  async include(
    transactions: readonly ChainTransaction[],
  ): Promise<TickResult & Pick<Outcome, 'missing'>> {
    const candidates = { transactions, areWaiting: false, onMiss: 'pass' } as const
    const result = await this.#filler.execute(this.#state.pending, candidates)
    this.#showTick(result)
    return result
  }

  #showTick({ view, executed }: Outcome): void {
    this.#show({ view: { ...view, ticks: view.ticks + 1 }, executed })
    this.#forgetStale()
  }

  #show({ view, executed }: Pick<Outcome, 'view' | 'executed'>, told?: Told): void {
    this.#state.publish(view, told)
    this.#state.mempool.taken(new Set(executed.map(({ transaction }) => transaction.hash)))
  }

  #forgetStale(): void {
    // An account's nonce can also rise without a transaction of its own: by an authorization, or by
    // a CREATE if the account is delegated (EIP-7702). Waiting transactions may become stale or
    // runnable.
    if (this.#state.mempool.hasStale()) this.#state.putBack([])
  }

  /**
   * Seals the pending block, and opens the one after it with the overrides `next`.
   *
   * @param unseen - limits of a last tick, whose transactions nobody sees in the pending block.
   *   Default: there is none
   * @returns `filled`: what that tick has made of the block
   */
  async seal(
    next: NextBlockOverrides = {},
    unseen?: TickLimits,
  ): Promise<{ readonly block: SealedBlock; readonly filled?: Outcome }> {
    const { pending } = this.#state
    if (unseen === undefined) return { block: await this.#seal(next) }
    const outcome = await this.#tryWaiting(unseen)
    const { executed, view } = outcome
    if (executed.length === 0) return { block: await this.#seal(next) }
    try {
      const filled = { ...outcome, view: { ...view, ticks: view.ticks + 1 } }
      return { block: await this.#seal(next, filled), filled }
    } catch (error) {
      this.#state.store.abandon(pending.state.version)
      this.#filler.unlock(executed.map(({ transaction }) => transaction))
      throw error
    }
  }

  /** @param filled - what the pending block has become, unseen. Default: it is as it is shown */
  async #seal(next: NextBlockOverrides, filled?: Outcome): Promise<SealedBlock> {
    const state = this.#state
    const { environment, executed, ticks } = state.pending
    if (filled === undefined && environment.rules.opStack && executed.length === 0) {
      const { view } = await openOpStackBlock(state.pending, state)
      if (view !== state.pending) state.publish({ ...view, ticks: ticks + 1 })
    }
    const block = await sealBlock(filled?.view ?? state.pending, state)
    const { settings } = state.work
    // The gas limit of the block can differ from the setting: the first London block doubles it.
    const isOwn = state.work.next.gasLimit === undefined
    const gasLimit = isOwn ? block.header.gasLimit : settings.gasLimit
    const work = { settings: { ...settings, gasLimit }, next, cheatDiffs: [] }
    const opened = block.rules.opStack ? await this.#openBehind(block, work) : undefined
    // From here on, nobody can look before the next block is open.
    if (filled !== undefined) this.#show(filled, { isAtSeal: true })
    state.history.push(block)
    state.update(work)
    state.publish(opened ?? openPendingBlock(state))
    if (filled !== undefined) this.#forgetStale()
    return block
  }

  /**
   * Opens the block behind one that is not shown yet: readers must not see the one without the
   * other, and the deposit that opens a block of the OP Stack may have to be awaited.
   */
  async #openBehind(head: SealedBlock, changes: Partial<ChainWork>): Promise<PendingView> {
    const state = this.#state
    const { engine, store, schedule, origin } = state
    const history = { head, randaoSeed: state.history.randaoSeed }
    const work = { ...state.work, ...changes }
    const empty = openPendingBlock({ engine, store, schedule, origin, history, work })
    return (await openOpStackBlock(empty, state)).view
  }

  /**
   * Reserves empty blocks, the pending one first, and opens the block after them. Ends before the
   * rules change.
   *
   * @param request.count - maximum number of blocks
   * @param request.step - ms between their timestamps
   * @param request.open - called before the next block opens; returns its overrides
   * @returns the range; `undefined` if the rules change with the pending block
   */
  reserve({ count, step, open }: ReserveRequest): ReservedRange | undefined {
    const state = this.#state
    const { engine, history, pending, store } = state
    const { head } = history
    if (!isEmptyBlock(pending) || state.work.cheatDiffs.length > 0) {
      throw new Error('Only an empty block on an unchanged state can be reserved')
    }
    const headers = reservedHeaders(state, step)
    const last = lastUnderRules(headers, count, head, engine.schedule)
    if (last < headers.first) return undefined
    store.abandon(head.version)
    const bounds = { first: headers.first, last }
    const unchanged = { sealedVersion: head.version, trie: requireTrie(head) }
    const range = new ReservedRange(headers, bounds, unchanged)
    history.push(range)
    state.update({ next: open(range) })
    state.publish(openPendingBlock(state))
    return range
  }

  /**
   * Changes the state. While nothing is pre-confirmed, this changes the newest sealed state;
   * otherwise it becomes a step of the pending block, behind its transactions.
   */
  async cheat(cheat: Cheat): Promise<void> {
    const state = this.#state
    await this.#publishAgain(applyCheat(cheat, state.pending, state))
    if (state.mempool.hasStale()) state.putBack([])
  }

  /** Publishes the empty block that a command has opened again, with the deposit if it had it. */
  async #publishAgain(view: PendingView): Promise<void> {
    const state = this.#state
    const hadDeposit = state.pending.executed.length > 0
    const isLost = hadDeposit && view.executed.length === 0
    state.publish(isLost ? (await openOpStackBlock(view, state)).view : view)
  }

  /**
   * Opens the pending block again under the present settings and overrides. It must be empty: what
   * is pre-confirmed is final.
   *
   * @param timestamp - the block's timestamp in s, unless a command chose another. Default: the
   *   timestamp that a block opened now would get
   */
  async reopen(timestamp?: bigint): Promise<void> {
    const { history, pending, store } = this.#state
    if (!isEmptyBlock(pending)) {
      throw new Error('A pending block with transactions cannot be opened again')
    }
    store.abandon(history.head.version)
    await this.#publishAgain(openPendingBlock(this.#state, { ticks: pending.ticks, timestamp }))
  }

  /**
   * Gives the empty pending block the timestamp that a block opened now would get, unless a command
   * chose another.
   */
  async reschedule(): Promise<void> {
    if (isOutdated(this.#state)) await this.reopen()
  }

  /**
   * Drops the waiting transactions that no block can hold any more, since the block gas limit or
   * the chain id has changed.
   *
   * @returns how many
   */
  async dropImpossible(): Promise<number> {
    const { engine, mempool, pending } = this.#state
    if (mempool.size === 0) return 0
    const { gasLimit, rules } = pending.environment
    const executor = await engine.executor(rules)
    const before = mempool.size
    for (const { gasLimit: gas, hash, raw } of mempool.transactions()) {
      let reason: string | undefined
      if (gas > gasLimit) reason = `exceeds block gas limit: it was lowered to ${gasLimit}`
      else {
        try {
          executor.decode(raw)
        } catch (error) {
          if (!(error instanceof DevnetError)) throw error
          reason = error.message
        }
      }
      if (reason === undefined) continue
      this.#state.drop({ hash, reason }, mempool.remove(hash))
    }
    return before - mempool.size
  }
}
