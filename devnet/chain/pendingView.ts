import type { BlockEnvironment } from '../protocol/environment.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { StateView } from '../state/store/versionedStore.ts'
import type { IndexTrie } from '../state/trie/indexTrie.ts'

/** What readers of `"pending"` see: immutable, replaced by each tick that takes transactions. */
export interface PendingView {
  readonly environment: BlockEnvironment
  readonly executed: readonly ExecutedTransaction[]
  readonly gasUsed: bigint
  readonly blobGasUsed: bigint
  readonly logCount: number
  /** 256 bytes. */
  readonly bloom: Uint8Array
  /** Hashed only when somebody asks for the root. */
  readonly transactions: IndexTrie
  readonly receipts: IndexTrie
  /** State after the last pre-confirmed transaction. */
  readonly state: StateView
  /** Ticks that the block has had. */
  readonly ticks: number
}
