import type { Hex } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { StateDiff, StateReader } from '../state/types.ts'
import type { BlockProducer, TickLimits } from './blockProducer.ts'
import { type ChainBase, loadChainBase } from './chainBase.ts'
import type { ChainSettings, ChainState, NextBlockOverrides } from './chainState.ts'
import type { Snapshots } from './snapshots.ts'

/** The commands of a job on the write queue. */
export interface WriteJob {
  tick(limits?: TickLimits): Promise<readonly ExecutedTransaction[]>
  /** Seals the pending block as it is; the next opens with `next`, if given. */
  seal(next?: NextBlockOverrides): Promise<SealedBlock>
  /** Gives the pending block another timestamp, base fee or prevRandao, and executes it again. */
  overrideNext(overrides: NextBlockOverrides): Promise<void>
  /** Changes settings, for the pending block and all later ones. */
  set(changes: Partial<ChainSettings>): Promise<void>
  /**
   * Gives the pending block the timestamp of one that opens now, unless a command chose its own.
   *
   * @param options.always - even then. Default: false
   */
  reschedule(options?: { always?: boolean }): Promise<void>
  /** Changes the newest sealed state, and executes the pre-confirmed transactions again over it. */
  cheat(makeDiff: (state: StateReader) => StateDiff): Promise<void>
  /** Removes transactions from the mempool and the pending block for good. */
  drop(hashes: ReadonlySet<Hex>, reason: string): Promise<void>
  snapshot(restoreClocks: () => void): number
  revert(id: number): boolean
  /** Replaces the chain by another one under the same hardforks; all snapshots end. */
  load(base: ChainBase): Promise<void>
  /** Goes back to the block that the node started from; all snapshots end. @throws {ResetError} */
  reset(restoreClocks: () => void): void
}

/** The commands that change what lies under the pending block, or around it. */
export function writeJobCommands(
  state: ChainState,
  producer: BlockProducer,
  snapshots: Snapshots,
): Omit<WriteJob, 'tick' | 'seal'> {
  return {
    async overrideNext(overrides) {
      state.update({ next: { ...state.work.next, ...overrides } })
      await producer.reopen()
    },
    async set(changes) {
      state.update({ settings: { ...state.work.settings, ...changes } })
      const { coinbase, gasLimit, chainId } = changes
      if ((coinbase ?? gasLimit ?? chainId) !== undefined) await producer.reopen()
      if ('timestampInterval' in changes) await producer.reschedule()
    },
    async reschedule({ always } = {}) {
      if (always === true) {
        const { timestamp, ...next } = state.work.next
        state.update({ next })
      }
      await producer.reschedule()
    },
    cheat: (makeDiff) => producer.reopen({ makeDiff }),
    drop: (hashes, reason) => producer.drop(hashes, reason),
    snapshot: (restoreClocks) => snapshots.take(restoreClocks),
    revert: (id) => snapshots.revert(id),
    async load(base) {
      // At the start, the chain is this one already.
      if (base.history !== state.history) state.resets++
      await loadChainBase(base, state, producer, snapshots)
    },
    reset(restoreClocks) {
      snapshots.reset(restoreClocks)
      state.resets++
    },
  }
}
