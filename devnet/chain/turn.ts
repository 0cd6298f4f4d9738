import type { StateDiff, StateReader } from '../state/types.ts'
import type { Hex } from '../types.ts'
import type { SealedBlock } from './block.ts'
import type { TickLimits } from './blockProducer.ts'
import type { NextBlockChoices, StandingChoices } from './chainState.ts'
import type { ChainOrigin } from './origin.ts'
import type { ExecutedTransaction } from './receipt.ts'

/** The commands of one turn on the writer's queue. */
export interface Turn {
  tick(limits?: TickLimits): Promise<readonly ExecutedTransaction[]>
  /** Seals the pending block as it is; the next opens with `next`, if given. */
  seal(next?: NextBlockChoices): Promise<SealedBlock>
  /** Gives the pending block another timestamp, base fee or prevRandao, and executes its transactions anew. */
  choose(choices: NextBlockChoices): Promise<void>
  /** Changes what holds for the pending block and all later ones. */
  set(choices: Partial<StandingChoices>): Promise<void>
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
  load(origin: ChainOrigin): Promise<void>
  /** Goes back to the block that the node went on from; all snapshots end. @throws {ResetError} */
  reset(restoreClocks: () => void): void
}
