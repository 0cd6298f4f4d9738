import type { Engine } from '../engine/engine.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import { VersionedStore } from '../state/store/versionedStore.ts'
import type { StateDiff } from '../state/types.ts'
import type { BlockProducer } from './blockProducer.ts'
import type { ChainSettings, ChainState, NextBlockOverrides } from './chainState.ts'
import { createGenesis, type GenesisParameters } from './genesis.ts'
import { History } from './history.ts'
import type { Snapshots } from './snapshots.ts'

/** What a chain goes on from: its sealed blocks with their states. */
export interface ChainBase {
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
  readonly settings: ChainSettings | undefined
  readonly next: NextBlockOverrides
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
export function createChainBase(genesis: GenesisParameters, engine: Engine): ChainBase {
  const store = new VersionedStore(engine.codes)
  return { store, history: new History(createGenesis(genesis, engine, store)) }
}

/**
 * Puts another chain in the place of the present one. Readers see either the one or the other; what was pre-confirmed
 * when it was saved is executed again after that.
 */
export async function loadChainBase(
  { store, history, saved }: ChainBase,
  state: ChainState,
  producer: BlockProducer,
  snapshots: Snapshots,
): Promise<void> {
  const { head } = history
  // Where the chain was opened already, the block that was opened over it.
  store.abandon(head.version)
  state.store = store
  state.history = history
  state.firstHead = saved?.firstHead ?? head.number
  state.cheatDiffs = [...(saved?.cheatDiffs ?? [])]
  state.next = { ...saved?.next }
  Object.assign(state.settings, saved?.settings ?? { gasLimit: head.header.gasLimit })
  state.engine.setChainId(state.settings.chainId)
  state.dropped = []
  snapshots.restart()
  // Published before the first pause: from then on nothing of the chain before is there.
  const resumed = producer.resume(saved?.pending)
  state.mempool.restore([])
  await resumed
  const left = state.mempool.transactions()
  state.mempool.restore([])
  const dead = state.mempool.putBack([...left, ...(saved?.mempool ?? [])])
  for (const { transaction, reason } of dead) state.drop(transaction.hash, reason)
}
