import type { Engine } from '../engine/engine.ts'
import type { StateDiff } from '../state/types.ts'
import { VersionedStore } from '../state/versionedStore.ts'
import type { NextBlockChoices, StandingChoices } from './chainState.ts'
import { createGenesis, type GenesisParameters } from './genesis.ts'
import { History } from './history.ts'
import type { ChainTransaction } from './transaction.ts'

/** What a chain goes on from: its sealed blocks with their states. */
export interface ChainOrigin {
  readonly store: VersionedStore
  readonly history: History
  /** What it was doing when it was saved; `undefined` for a chain that was not. */
  readonly saved?: SavedWork
}

/** What a chain was doing beside its sealed blocks. */
export interface SavedWork {
  /** Number of the block that was never to be undone. */
  readonly firstHead: number
  /** Changes of the newest state since it was sealed. */
  readonly cheatDiffs: readonly StateDiff[]
  /** `undefined`: as the node has it. */
  readonly standing: StandingChoices | undefined
  readonly next: NextBlockChoices
  /** The block that was open; `undefined`: opens as any other. */
  readonly pending: SavedPending | undefined
  /** In the order of their turns. */
  readonly mempool: readonly ChainTransaction[]
}

/** A pending block, to be executed again. */
export interface SavedPending {
  /** s since the epoch; `undefined`: of a block that opens now. */
  readonly timestamp: bigint | undefined
  /** Ticks that it had had. */
  readonly ticks: number
  /** In their order, each with the tick that took it. */
  readonly executed: readonly { readonly transaction: ChainTransaction; readonly tick: number }[]
}

/** The genesis block of a devnet. */
export function createOrigin(genesis: GenesisParameters, engine: Engine): ChainOrigin {
  const store = new VersionedStore(engine.codes)
  return { store, history: new History(createGenesis(genesis, engine, store)) }
}
