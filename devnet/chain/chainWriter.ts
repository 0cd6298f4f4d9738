import type { Hex } from '../primitives/hex.ts'
import { lazy } from '../primitives/memo.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import { LOST_VERSION } from '../state/store/versionedStore.ts'
import type { TickResult } from './building/blockBuilder.ts'
import type { BlockProducer, ReserveRequest, TickLimits } from './building/blockProducer.ts'
import type { BlockRebuilder } from './building/blockRebuilder.ts'
import type { PendingView } from './building/pendingView.ts'
import type { ChainBase } from './chainBase.ts'
import { type Publication, reportAbandoned, reportTick } from './chainEvents.ts'
import type { ChainState } from './chainState.ts'
import type { ChainSettings, NextBlockOverrides, Undo } from './chainWork.ts'
import type { Cheat } from './cheats.ts'
import type { Reorg, ReorgRequest } from './reorg.ts'
import type { Slice } from './replica.ts'
import { ReservedRange } from './reservedRange.ts'
import type { Snapshots } from './snapshots.ts'
import type { WriteQueue } from './writeQueue.ts'

/** Loaded when it is first needed, because most chains have no reorganisation. */
const loadReorg = lazy(() => import('./reorg.ts'))

interface TickEnd {
  /** In the order in which ticks began. */
  readonly number: number
  readonly executed: number
}

interface WriterParts {
  readonly state: ChainState
  readonly producer: BlockProducer
  readonly rebuilder: BlockRebuilder
  readonly snapshots: Snapshots
  /** Runs the jobs that are given the writer. */
  readonly queue: WriteQueue
  /** Maximum number of sealed blocks to keep; 0 keeps all. */
  readonly keepBlocks: number
}

/**
 * Makes every change of a chain except admission, and tells of it. Given to the jobs of the write
 * queue, one at a time; no other code has it.
 */
export class ChainWriter {
  readonly #parts: WriterParts
  /** Loaded when it is first needed, because most chains follow no other. */
  readonly #loadReplica = lazy(async () => {
    const { Replica } = await import('./replica.ts')
    return new Replica(this.#parts.state)
  })
  #ticksBegun = 0
  #tickDone = Promise.withResolvers<TickEnd>()

  constructor(parts: WriterParts) {
    this.#parts = parts
  }

  /** Number of ticks that have begun, the one at work included. */
  get ticksBegun(): number {
    return this.#ticksBegun
  }

  /** Resolves when the tick at work, or else the next one, is done. */
  nextTick(): Promise<TickEnd> {
    return this.#tickDone.promise
  }

  /** Executes what is runnable; see {@link BlockProducer.tick}. */
  tick(limits?: TickLimits): Promise<readonly ExecutedTransaction[]> {
    return this.#parts.queue.onceKnown(() => this.#tick(limits))
  }

  async #tick(limits?: TickLimits): Promise<readonly ExecutedTransaction[]> {
    const start = performance.now()
    const number = ++this.#ticksBegun
    const result = await this.#parts.producer.tick(limits)
    this.#reportTick(result, start)
    const { executed } = result
    this.#endTick({ number, executed: executed.length })
    return executed
  }

  /** Replaces a tick without an execution: ends the wait for the next one. */
  omitTick(): void {
    this.#endTick({ number: ++this.#ticksBegun, executed: 0 })
  }

  #endTick(end: TickEnd): void {
    const done = this.#tickDone
    this.#tickDone = Promise.withResolvers()
    done.resolve(end)
  }

  #reportTick(result: TickResult, start: number): void {
    const { events, pending: view } = this.#parts.state
    reportTick(events, result, { view, isAtSeal: false, start })
  }

  /** See {@link BlockProducer.preview}. */
  preview(): Promise<PendingView> {
    return this.#parts.queue.onceKnown(() => this.#parts.producer.preview())
  }

  /** See {@link BlockProducer.seal}. */
  async seal(next?: NextBlockOverrides, unseen?: TickLimits): Promise<SealedBlock> {
    const start = performance.now()
    const { block, filled } = await this.#parts.producer.seal(next, unseen)
    if (filled !== undefined) {
      reportTick(this.#parts.state.events, filled, { view: filled.view, isAtSeal: true, start })
    }
    this.#reportSeal(block, start)
    return block
  }

  /**
   * Reserves empty blocks; see {@link BlockProducer.reserve}.
   *
   * @returns their number: 0 if the rules change with the pending block
   */
  reserve(request: ReserveRequest): number {
    const start = performance.now()
    const range = this.#parts.producer.reserve(request)
    if (range === undefined) return 0
    this.#reportSeal(range.newest, start)
    return countOf(range)
  }

  #reportSeal(block: SealedBlock, start: number): void {
    if (this.#parts.keepBlocks > 0) this.#forgetBelow(block.number - this.#parts.keepBlocks + 1)
    this.#parts.state.events.sealed.emit(block, performance.now() - start)
  }

  #forgetBelow(number: number): void {
    const { history, store } = this.#parts.state
    if (!history.dropBelow(number)) return
    this.#parts.snapshots.dropBelow(number)
    const oldest = history.byNumber(number)
    // Keeps the state before cheats, too: a dump needs the one that the block's root commits to.
    if (oldest === undefined || oldest.sealedVersion === LOST_VERSION) return
    store.forgetBefore(oldest.sealedVersion)
  }

  /** Chooses timestamp, base fee or prevRandao of the pending block, which must be empty. */
  async overrideNext(overrides: NextBlockOverrides): Promise<void> {
    this.#parts.state.update({ next: { ...this.#parts.state.work.next, ...overrides } })
    await this.#parts.producer.reopen(this.#parts.state.pending.environment.timestamp)
  }

  /**
   * Changes settings, for the pending block and all later ones. If a block's environment depends on
   * them, the pending block must be empty.
   */
  async set(changes: Partial<ChainSettings>): Promise<void> {
    this.#parts.state.update({ settings: { ...this.#parts.state.work.settings, ...changes } })
    const { coinbase, gasLimit, chainId } = changes
    if ((coinbase ?? gasLimit ?? chainId) !== undefined) {
      await this.#parts.producer.reopen(this.#parts.state.pending.environment.timestamp)
    }
    if ((gasLimit ?? chainId) !== undefined) await this.#dropImpossible()
    if ('timestampInterval' in changes) await this.#parts.producer.reschedule()
  }

  async #dropImpossible(): Promise<void> {
    const dropped = await this.#parts.producer.dropImpossible()
    if (dropped > 0) this.#reportUndo({ command: 'drop', dropped })
  }

  /** @param undo - numbers are 0 by default */
  #reportUndo(undo: Pick<Undo, 'command'> & Partial<Undo>): void {
    this.#parts.state.events.undone.emit({ dropped: 0, reexecuted: 0, replaced: 0, ...undo })
  }

  /**
   * Gives the empty pending block the timestamp that a block opened now would get, unless a command
   * chose another.
   *
   * @param options.always - whether to replace a chosen timestamp, too. Default: false
   */
  async reschedule({ always = false }: { always?: boolean } = {}): Promise<void> {
    if (always) {
      const { timestamp: _, ...next } = this.#parts.state.work.next
      this.#parts.state.update({ next })
    }
    await this.#parts.producer.reschedule()
  }

  /**
   * Changes the state. While nothing is pre-confirmed, this changes the newest sealed state;
   * otherwise it becomes a step of the pending block, which `latest` shows with the seal.
   */
  cheat(cheat: Cheat): Promise<void> {
    return this.#parts.producer.cheat(cheat)
  }

  /**
   * Removes transactions from the mempool and the pending block for good, and executes again what
   * was pre-confirmed behind them.
   *
   * @param options.isWhole - whether it waits, outside of its turn, for what those read that the
   *   upstream of a forked chain has not given yet; otherwise they return to the mempool.
   *   Default: true
   * @param options.isAtSeal - see {@link Publication.isAtSeal}. Default: false
   * @returns how many it has removed: others may be sealed meanwhile
   */
  async drop(
    hashes: ReadonlySet<Hex>,
    reason: string,
    { isWhole = true, isAtSeal = false }: { isWhole?: boolean; isAtSeal?: boolean } = {},
  ): Promise<number> {
    const drop = () => this.#parts.rebuilder.drop(hashes, reason, { isAtSeal })
    const done = await (isWhole
      ? this.#parts.queue.dryRunFirst(() => this.#parts.rebuilder.keptBy(hashes), drop)
      : drop())
    if (done.dropped > 0) this.#reportUndo({ command: 'drop', ...done })
    return done.dropped
  }

  /** See {@link BlockRebuilder.rearrange}; to be called right before the seal. */
  async rearrange(executed: readonly ExecutedTransaction[]): Promise<void> {
    const reexecuted = await this.#parts.rebuilder.rearrange(executed, { isAtSeal: true })
    this.#reportUndo({ command: 'rearrange', reexecuted })
  }

  snapshot(restoreClocks: () => void): number {
    return this.#parts.snapshots.take(restoreClocks)
  }

  revert(id: number): boolean {
    const isReverted = this.#parts.snapshots.revert(id)
    if (isReverted) this.#reportUndo({ command: 'revert' })
    return isReverted
  }

  /** See {@link Snapshots.rollback}. */
  async rollback(depth: number, restoreClocks: (head: SealedBlock) => void): Promise<void> {
    const { abandoned, preconfirmed } = this.#parts.snapshots.rollback(depth, restoreClocks)
    this.#parts.state.putBack(preconfirmed)
    reportAbandoned(this.#parts.state.events, abandoned)
    this.#reportUndo({ command: 'rollback' })
    await this.#dropImpossible()
  }

  /** See {@link reorganise}. */
  async reorg(request: ReorgRequest): Promise<Reorg> {
    const { newReplacement, reorganise } = await loadReorg()
    const run = () =>
      reorganise(request, {
        ...this.#parts,
        seal: (next) => this.seal(next),
        reserve: (reserved) => this.reserve(reserved),
      })
    const replacement = () => newReplacement(request, this.#parts.state, this.#parts.snapshots)
    const reorg = await (request.fill === undefined
      ? run()
      : this.#parts.queue.dryRunFirst(replacement, run))
    const { length: dropped } = reorg.dropped
    const { depth: replaced } = request
    if (replaced > 0) this.#reportUndo({ command: 'reorg', dropped, replaced })
    return reorg
  }

  /** See {@link Replica.follow}. */
  async follow(slice: Slice, isWhole: boolean): Promise<boolean> {
    const replica = await this.#loadReplica()
    const start = performance.now()
    return replica.follow(slice, isWhole, ({ sealed, abandoned, isReorg, ...result }) => {
      if (abandoned.length > 0) this.#reportTakenBack(abandoned, isReorg)
      if (sealed !== undefined) this.#reportSeal(sealed, start)
      this.#reportTick(result, start)
    })
  }

  /** Reports blocks that the followed node has taken back. */
  #reportTakenBack(abandoned: readonly (SealedBlock | ReservedRange)[], isReorg: boolean): void {
    if (!isReorg) {
      this.#reportUndo({ command: 'revert' })
      return
    }
    reportAbandoned(this.#parts.state.events, abandoned)
    const replaced = abandoned.reduce((sum, entry) => sum + countOf(entry), 0)
    this.#reportUndo({ command: 'reorg', replaced })
  }

  async forget(): Promise<void> {
    const replica = await this.#loadReplica()
    replica.forget()
  }

  /**
   * Replaces the chain by another one under the same hardforks; deletes all snapshots. Readers see
   * the old chain or the new one, never a mix. The saved pre-confirmed transactions are executed
   * again after the switch.
   *
   * @param beforeSwitch - called right before the switch, once nothing is awaited any more.
   *   Default: nothing
   * @throws {UpstreamError} if the account of a sender cannot be read; nothing has changed then
   */
  async load(
    { store, history, origin, schedule, saved }: ChainBase,
    beforeSwitch?: () => void,
  ): Promise<void> {
    const state = this.#parts.state
    const { head } = history
    // Their nonces are read when they are put back.
    const executed = saved?.pending?.executed.map(({ transaction }) => transaction) ?? []
    const senders = [...executed, ...state.mempool.transactions(), ...(saved?.mempool ?? [])]
    const accounts = senders.map(({ senderKey }) => senderKey)
    const ready = store.view(head.version).lazyReads?.all({ accounts, slots: [] })
    if (ready !== undefined) await ready
    beforeSwitch?.()
    // When the node starts, the chain already has the history of the base; loading it is no reset.
    const isReset = history !== state.history
    if (isReset) state.resets++
    // Discards the states that an earlier pending block on the same head committed.
    store.abandon(head.version)
    state.store = store
    state.history = history
    state.origin = origin
    if (schedule !== undefined) state.engine.setSchedule(schedule)
    state.firstHead = saved?.firstHead ?? head.number
    state.work = {
      settings: saved?.settings ?? { ...state.work.settings, gasLimit: head.header.gasLimit },
      next: saved?.next ?? {},
      cheatDiffs: saved?.cheatDiffs ?? [],
      dropped: [],
      reexecuted: [],
    }
    this.#parts.snapshots.restart()
    // `resume` publishes before it first awaits: from then on, the previous chain is not visible.
    const resumed = this.#parts.rebuilder.resume(saved?.pending)
    state.mempool.restore([])
    await resumed
    const left = state.mempool.transactions()
    state.mempool.restore([])
    const dead = state.mempool.putBack([...left, ...(saved?.mempool ?? [])])
    for (const { transaction, ...why } of dead) {
      state.drop({ hash: transaction.hash, ...why }, transaction)
    }
    if (isReset) this.#reportUndo({ command: 'load' })
  }

  /** Resets to the block that the node started from, and deletes all snapshots. */
  reset(restoreClocks: () => void): void {
    this.#parts.snapshots.reset(restoreClocks)
    this.#parts.state.resets++
    this.#reportUndo({ command: 'reset' })
  }
}

function countOf(entry: SealedBlock | ReservedRange): number {
  return entry instanceof ReservedRange ? entry.last - entry.first + 1 : 1
}
