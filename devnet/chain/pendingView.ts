import type { StateStep } from '../protocol/block.ts'
import type { BlockEnvironment } from '../protocol/environment.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { StateView } from '../state/store/versionedStore.ts'
import type { IndexTrie } from '../state/trie/indexTrie.ts'
import type { StateDiff } from '../state/types.ts'
import type { Cheat } from './cheats.ts'

/** A change of the state by command, between two pre-confirmed transactions. */
export interface PendingStep extends StateStep {
  /** A drop applies it again, to the state that it then finds. */
  readonly cheat: Cheat
}

/** What readers of `"pending"` see. Immutable; every tick, cheat and seal publishes a new one. */
export interface PendingView {
  readonly environment: BlockEnvironment
  readonly executed: readonly ExecutedTransaction[]
  readonly gasUsed: bigint
  readonly blobGasUsed: bigint
  readonly logCount: number
  /** 256 bytes. */
  readonly bloom: Uint8Array
  /** Hashed after each tick. */
  readonly transactions: IndexTrie
  readonly receipts: IndexTrie
  /** State after the last pre-confirmed transaction and the last step. */
  readonly state: StateView
  /** Changes that cheats made to the parent's state since it was sealed, in order. */
  readonly cheatDiffs: readonly StateDiff[]
  /** Changes by command behind pre-confirmed transactions, in order; sealed with the block. */
  readonly steps: readonly PendingStep[]
  /** Changes in the block, in order: those of its opening, of each tick, and of each step. */
  readonly blockDiffs: readonly StateDiff[]
  /** Number of ticks the block has had so far. */
  readonly ticks: number
}

/** Whether `view` is `before`, or what ticks and cheats have made of it: nothing was taken back. */
export function isContinued(before: PendingView, view: PendingView): boolean {
  return (
    view.environment === before.environment &&
    view.ticks >= before.ticks &&
    beginsWith(view.executed, before.executed) &&
    beginsWith(view.steps, before.steps) &&
    beginsWith(view.cheatDiffs, before.cheatDiffs)
  )
}

/** Whether a list that only ever grows at its end can have grown from `shorter`. */
function beginsWith<Item>(list: readonly Item[], shorter: readonly Item[]): boolean {
  const last = shorter.length - 1
  return list.length >= shorter.length && list[last] === shorter[last]
}

/** All changes since the parent was sealed, in order. */
export function diffsSinceSeal({ cheatDiffs, blockDiffs }: PendingView): StateDiff[] {
  return [...cheatDiffs, ...blockDiffs]
}
