import type { Hex } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { BlockProducer, ReserveRequest, TickLimits } from './blockProducer.ts'
import type { BlockRebuilder } from './blockRebuilder.ts'
import { type ChainBase, loadChainBase } from './chainBase.ts'
import type { ChainState, Publication } from './chainState.ts'
import type { ChainSettings, NextBlockOverrides, Undo } from './chainWork.ts'
import type { Cheat } from './cheats.ts'
import type { PendingView } from './pendingView.ts'
import type { Reorg, ReorgRequest } from './reorg.ts'
import type { Replica, Slice } from './replica.ts'
import type { ReservedRange } from './reservedRange.ts'
import type { Snapshots } from './snapshots.ts'
import type { WriteQueue } from './writeQueue.ts'

/** The changes that a job on the write queue can make to the chain. */
export class WriteJob {
  readonly tick: (limits?: TickLimits) => Promise<readonly ExecutedTransaction[]>
  /** See {@link BlockProducer.preview}. */
  readonly preview: () => Promise<PendingView>
  /** Replaces a tick without an execution: ends the wait for the next one. */
  readonly omitTick: () => void
  /** See {@link BlockProducer.seal}. */
  readonly seal: (next?: NextBlockOverrides, unseen?: TickLimits) => Promise<SealedBlock>
  /**
   * Reserves empty blocks; see {@link BlockProducer.reserve}.
   *
   * @returns their number: 0 if the rules change with the pending block
   */
  readonly reserve: (request: ReserveRequest) => number
  /** See {@link reorganise}. */
  readonly reorg: (request: ReorgRequest) => Promise<Reorg>
  /** See {@link Replica.follow}. */
  readonly follow: (slice: Slice, isWhole: boolean) => Promise<boolean>
  /** See {@link Replica.forget}. */
  readonly forget: () => Promise<void>
  readonly #undone: (undo: Undo) => void
  readonly #abandoned: (blocks: readonly (SealedBlock | ReservedRange)[]) => void
  readonly #dryRunFirst: WriteQueue['dryRunFirst']
  readonly #state: ChainState
  readonly #producer: BlockProducer
  readonly #rebuilder: BlockRebuilder
  readonly #snapshots: Snapshots

  constructor(
    state: ChainState,
    producer: BlockProducer,
    rebuilder: BlockRebuilder,
    snapshots: Snapshots,
    commands: Pick<
      WriteJob,
      'tick' | 'omitTick' | 'preview' | 'seal' | 'reserve' | 'reorg' | 'follow' | 'forget'
    > & {
      readonly undone: (undo: Undo) => void
      /** Tells of blocks that were taken back. */
      readonly abandoned: (blocks: readonly (SealedBlock | ReservedRange)[]) => void
      /** Does something once the upstream has given what transactions read, or has failed to. */
      readonly dryRunFirst: WriteQueue['dryRunFirst']
    },
  ) {
    this.#dryRunFirst = commands.dryRunFirst
    this.#undone = commands.undone
    this.#abandoned = commands.abandoned
    this.tick = commands.tick
    this.omitTick = commands.omitTick
    this.preview = commands.preview
    this.seal = commands.seal
    this.reserve = commands.reserve
    this.reorg = commands.reorg
    this.follow = commands.follow
    this.forget = commands.forget
    this.#state = state
    this.#producer = producer
    this.#rebuilder = rebuilder
    this.#snapshots = snapshots
  }

  /** Chooses timestamp, base fee or prevRandao of the pending block, which must be empty. */
  async overrideNext(overrides: NextBlockOverrides): Promise<void> {
    this.#state.update({ next: { ...this.#state.work.next, ...overrides } })
    await this.#producer.reopen(this.#state.pending.environment.timestamp)
  }

  /**
   * Changes settings, for the pending block and all later ones. If a block's environment depends on
   * them, the pending block must be empty.
   */
  async set(changes: Partial<ChainSettings>): Promise<void> {
    this.#state.update({ settings: { ...this.#state.work.settings, ...changes } })
    const { coinbase, gasLimit, chainId } = changes
    if ((coinbase ?? gasLimit ?? chainId) !== undefined) {
      await this.#producer.reopen(this.#state.pending.environment.timestamp)
    }
    if ((gasLimit ?? chainId) !== undefined) await this.#dropImpossible()
    if ('timestampInterval' in changes) await this.#producer.reschedule()
  }

  async #dropImpossible(): Promise<void> {
    const dropped = await this.#producer.dropImpossible()
    if (dropped > 0) this.#undone({ ...NONE, command: 'drop', dropped })
  }

  /**
   * Gives the empty pending block the timestamp that a block opened now would get, unless a command
   * chose another.
   *
   * @param options.always - whether to replace a chosen timestamp, too. Default: false
   */
  async reschedule({ always = false }: { always?: boolean } = {}): Promise<void> {
    if (always) {
      const { timestamp: _, ...next } = this.#state.work.next
      this.#state.update({ next })
    }
    await this.#producer.reschedule()
  }

  /**
   * Changes the state. While nothing is pre-confirmed, this changes the newest sealed state;
   * otherwise it becomes a step of the pending block, which `latest` shows with the seal.
   */
  cheat(cheat: Cheat): Promise<void> {
    return this.#producer.cheat(cheat)
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
    const drop = () => this.#rebuilder.drop(hashes, reason, { isAtSeal })
    const done = await (isWhole
      ? this.#dryRunFirst(() => this.#rebuilder.keptBy(hashes), drop)
      : drop())
    if (done.dropped > 0) this.#undone({ ...NONE, command: 'drop', ...done })
    return done.dropped
  }

  /** See {@link BlockRebuilder.rearrange}; to be called right before the seal. */
  async rearrange(executed: readonly ExecutedTransaction[]): Promise<void> {
    const reexecuted = await this.#rebuilder.rearrange(executed, { isAtSeal: true })
    this.#undone({ ...NONE, command: 'rearrange', reexecuted })
  }

  snapshot(restoreClocks: () => void): number {
    return this.#snapshots.take(restoreClocks)
  }

  revert(id: number): boolean {
    const isReverted = this.#snapshots.revert(id)
    if (isReverted) this.#undone({ command: 'revert', ...NONE })
    return isReverted
  }

  /** See {@link Snapshots.rollback}. */
  async rollback(depth: number, restoreClocks: (head: SealedBlock) => void): Promise<void> {
    const { abandoned, preconfirmed } = this.#snapshots.rollback(depth, restoreClocks)
    this.#state.putBack(preconfirmed)
    this.#abandoned(abandoned)
    this.#undone({ command: 'rollback', ...NONE })
    await this.#dropImpossible()
  }

  /**
   * Replaces the chain by another one under the same hardforks; deletes all snapshots.
   *
   * @param beforeSwitch - called right before the switch, once nothing is awaited any more.
   *   Default: nothing
   * @throws {UpstreamError} if the account of a sender cannot be read; nothing has changed then
   */
  async load(base: ChainBase, beforeSwitch?: () => void): Promise<void> {
    // When the node starts, the chain already has the history of `base`; loading it is no reset.
    const isReset = base.history !== this.#state.history
    await loadChainBase(base, this.#state, this.#rebuilder, this.#snapshots, () => {
      beforeSwitch?.()
      if (isReset) this.#state.resets++
    })
    if (isReset) this.#undone({ command: 'load', ...NONE })
  }

  /** Resets to the block that the node started from; deletes all snapshots. @throws {ResetError} */
  reset(restoreClocks: () => void): void {
    this.#snapshots.reset(restoreClocks)
    this.#state.resets++
    this.#undone({ command: 'reset', ...NONE })
  }
}

const NONE = { dropped: 0, reexecuted: 0, replaced: 0 }
