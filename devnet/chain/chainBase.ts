import type { Engine } from '../engine/engine.ts'
import type { ForkSchedule } from '../protocol/forkSchedule.ts'
import type { ForkRules } from '../protocol/forks.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import { VersionedStore } from '../state/store/versionedStore.ts'
import type { PendingStep } from './building/pendingView.ts'
import type { ChainSettings, ChainWork } from './chainWork.ts'
import type { ForkOrigin } from './forkedBase.ts'
import { createGenesis, type GenesisParameters } from './genesis.ts'
import { History } from './history.ts'

/** The sealed blocks and states that a chain starts from. */
export interface ChainBase {
  readonly store: VersionedStore
  readonly history: History
  /** The block that the chain stands on; `undefined` if it is not a fork. */
  readonly origin?: ForkOrigin | undefined
  /** Rules of the chain if they may differ from those of the engine. */
  readonly schedule?: ForkSchedule | undefined
  /** Other contents of a saved chain; `undefined` if the chain does not come from a save. */
  readonly saved?: SavedWork
}

/** State of a saved chain besides its sealed blocks. */
export interface SavedWork extends Pick<ChainWork, 'next' | 'cheatDiffs'> {
  /** {@link ChainState.firstHead} of the saved chain. */
  readonly firstHead: number
  /** `undefined`: the node keeps its own, except that the gas limit is the newest block's. */
  readonly settings: ChainSettings | undefined
  /** The pending block when the chain was saved; `undefined`: opens an empty one. */
  readonly pending: SavedPending | undefined
  /** First the runnable ones, in the order they became runnable; then those behind a nonce gap. */
  readonly mempool: readonly ChainTransaction[]
}

/** Contents of a pending block, to be executed again. */
export interface PendingContents {
  /** Number of ticks that the block had. */
  readonly ticks: number
  /** In block order, each with the tick that executed it. */
  readonly executed: readonly Pick<ExecutedTransaction, 'transaction' | 'tick'>[]
  /** Cheats behind pre-confirmed transactions, in order. */
  readonly steps: readonly Pick<PendingStep, 'after' | 'cheat'>[]
}

export interface SavedPending extends PendingContents {
  /** s since the epoch; `undefined`: use the timestamp that a block opened now would get. */
  readonly timestamp: bigint | undefined
  /** Those that its transactions were executed under. Default: those of a block opened now */
  readonly rules?: ForkRules | undefined
  /** True if another node executed it, so that what it reads is not known here. Default: false */
  readonly isForeign?: boolean
}

/** The base of a new devnet: only its genesis block. */
export function createChainBase(genesis: GenesisParameters, engine: Engine): ChainBase {
  const store = new VersionedStore(engine.codes)
  return { store, history: new History(createGenesis(genesis, engine, store)) }
}
