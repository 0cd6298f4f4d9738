import type { BlockEnvironment } from '../protocol/environment.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { StateView } from '../state/store/versionedStore.ts'
import type { IndexTrie } from '../state/trie/indexTrie.ts'
import type { StateDiff } from '../state/types.ts'

/** What readers of `"pending"` see. Immutable; every tick, cheat and seal publishes a new one. */
export interface PendingView {
  readonly environment: BlockEnvironment
  readonly executed: readonly ExecutedTransaction[]
  readonly gasUsed: bigint
  readonly blobGasUsed: bigint
  readonly logCount: number
  /** 256 bytes. */
  readonly bloom: Uint8Array
  /** Hashed only when the root is asked for. */
  readonly transactions: IndexTrie
  readonly receipts: IndexTrie
  /** State after the last pre-confirmed transaction. */
  readonly state: StateView
  /** Changes that cheats made to the parent's state since it was sealed, in order. */
  readonly cheatDiffs: readonly StateDiff[]
  /** Changes that the block made: those of its opening, then those of each tick. */
  readonly blockDiffs: readonly StateDiff[]
  /** Number of ticks the block has had so far. */
  readonly ticks: number
}

/** All changes since the parent was sealed, in order. */
export function diffsSinceSeal({ cheatDiffs, blockDiffs }: PendingView): StateDiff[] {
  return [...cheatDiffs, ...blockDiffs]
}
