import type { Hex } from '../primitives/hex.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { StateDiff, StateReader } from '../state/types.ts'
import type { BlockProducer, TickLimits } from './blockProducer.ts'
import { type ChainBase, loadChainBase } from './chainBase.ts'
import type { ChainSettings, ChainState, NextBlockOverrides } from './chainState.ts'
import type { Snapshots } from './snapshots.ts'

/** The commands of one turn on the writer's queue. */
export interface WriteJob {
  tick(limits?: TickLimits): Promise<readonly ExecutedTransaction[]>
  /** Seals the pending block as it is; the next opens with `next`, if given. */
  seal(next?: NextBlockOverrides): Promise<SealedBlock>
  /** Gives the pending block another timestamp, base fee or prevRandao, and executes its transactions anew. */
  overrideNext(choices: NextBlockOverrides): Promise<void>
  /** Changes what holds for the pending block and all later ones. */
  set(choices: Partial<ChainSettings>): Promise<void>
  /**
   * Gives the pending block the timestamp of one that opens now, unless it has one by command.
   *
   * @param options.always - also then. Default: false
   */
  reschedule(options?: { always?: boolean }): Promise<void>
  /** Changes the newest sealed state, and executes the pre-confirmed transactions anew over it. */
  cheat(makeDiff: (state: StateReader) => StateDiff): Promise<void>
  /** Takes transactions out of the mempool and the pending block for good. */
  drop(hashes: ReadonlySet<Hex>, reason: string): Promise<void>
  snapshot(restoreClocks: () => void): number
  revert(id: number): boolean
  /** Puts another chain in the place of this one, under the same hardforks; all snapshots end. */
  load(base: ChainBase): Promise<void>
  /** Goes back to the block that the node went on from; all snapshots end. @throws {ResetError} */
  reset(restoreClocks: () => void): void
}

/** The commands of a turn that change what lies under the pending block, or around it. */
export function writeJobCommands(
  state: ChainState,
  producer: BlockProducer,
  snapshots: Snapshots,
): Omit<WriteJob, 'tick' | 'seal'> {
  return {
    async overrideNext(choices) {
      Object.assign(state.next, choices)
      await producer.reopen()
    },
    async set(choices) {
      Object.assign(state.settings, choices)
      const { coinbase, gasLimit, chainId } = choices
      if (chainId !== undefined) state.engine.setChainId(chainId)
      const inBlock = [coinbase, gasLimit, chainId].some((choice) => choice !== undefined)
      if (inBlock) await producer.reopen()
      if ('timestampInterval' in choices) await producer.reschedule()
    },
    async reschedule({ always } = {}) {
      if (always === true) delete state.next.timestamp
      await producer.reschedule()
    },
    cheat: (makeDiff) => producer.reopen({ makeDiff }),
    drop: (hashes, reason) => producer.drop(hashes, reason),
    snapshot: (restoreClocks) => snapshots.take(restoreClocks),
    revert: (id) => snapshots.revert(id),
    async load(base) {
      // At the start the chain is this one already.
      if (base.history !== state.history) state.resets++
      await loadChainBase(base, state, producer, snapshots)
    },
    reset(restoreClocks) {
      snapshots.reset(restoreClocks)
      state.resets++
    },
  }
}
