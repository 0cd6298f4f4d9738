import type { Hex } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { StateDiff, StateReader } from '../state/types.ts'
import type { BlockProducer, TickLimits } from './blockProducer.ts'
import { type ChainBase, loadChainBase } from './chainBase.ts'
import type { ChainState } from './chainState.ts'
import type { ChainSettings, NextBlockOverrides } from './chainWork.ts'
import type { Snapshots } from './snapshots.ts'

/** The changes that a job on the write queue can make to the chain. */
export class WriteJob {
  readonly tick: (limits?: TickLimits) => Promise<readonly ExecutedTransaction[]>
  /** Seals the pending block as it is; the block after it opens with the overrides `next`. */
  readonly seal: (next?: NextBlockOverrides) => Promise<SealedBlock>
  readonly #state: ChainState
  readonly #producer: BlockProducer
  readonly #snapshots: Snapshots

  constructor(
    state: ChainState,
    producer: BlockProducer,
    snapshots: Snapshots,
    commands: Pick<WriteJob, 'tick' | 'seal'>,
  ) {
    this.tick = commands.tick
    this.seal = commands.seal
    this.#state = state
    this.#producer = producer
    this.#snapshots = snapshots
  }

  /** Gives the pending block another timestamp, base fee or prevRandao, and executes it again. */
  async overrideNext(overrides: NextBlockOverrides): Promise<void> {
    this.#state.update({ next: { ...this.#state.work.next, ...overrides } })
    await this.#producer.reopen()
  }

  /** Changes settings, for the pending block and all later ones. */
  async set(changes: Partial<ChainSettings>): Promise<void> {
    this.#state.update({ settings: { ...this.#state.work.settings, ...changes } })
    const { coinbase, gasLimit, chainId } = changes
    if ((coinbase ?? gasLimit ?? chainId) !== undefined) await this.#producer.reopen()
    if ('timestampInterval' in changes) await this.#producer.reschedule()
  }

  /**
   * Gives the pending block the timestamp that a block opened now would get, unless a command chose
   * another.
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

  /** Changes the newest sealed state, and executes the pre-confirmed transactions on it again. */
  async cheat(makeDiff: (state: StateReader) => StateDiff): Promise<void> {
    await this.#producer.reopen({ makeDiff })
  }

  /** Removes transactions from the mempool and the pending block for good. */
  async drop(hashes: ReadonlySet<Hex>, reason: string): Promise<void> {
    await this.#producer.drop(hashes, reason)
  }

  snapshot(restoreClocks: () => void): number {
    return this.#snapshots.take(restoreClocks)
  }

  revert(id: number): boolean {
    return this.#snapshots.revert(id)
  }

  /** Replaces the chain by another one under the same hardforks; deletes all snapshots. */
  async load(base: ChainBase): Promise<void> {
    // When the node starts, the chain already has the history of `base`; loading it is no reset.
    if (base.history !== this.#state.history) this.#state.resets++
    await loadChainBase(base, this.#state, this.#producer, this.#snapshots)
  }

  /** Resets to the block that the node started from; deletes all snapshots. @throws {ResetError} */
  reset(restoreClocks: () => void): void {
    this.#snapshots.reset(restoreClocks)
    this.#state.resets++
  }
}
