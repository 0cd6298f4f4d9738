import type { Engine } from '../engine/engine.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import { VersionedStore } from '../state/store/versionedStore.ts'
import type { BlockProducer, SavedPending } from './blockProducer.ts'
import type { ChainState } from './chainState.ts'
import type { ChainSettings, ChainWork } from './chainWork.ts'
import { createGenesis, type GenesisParameters } from './genesis.ts'
import { History } from './history.ts'
import type { Snapshots } from './snapshots.ts'

/** The sealed blocks and states that a chain starts from. */
export interface ChainBase {
  readonly store: VersionedStore
  readonly history: History
  /** The rest of a saved chain; `undefined` for a chain that was not saved. */
  readonly saved?: SavedWork
}

/** What a saved chain was doing beside its sealed blocks. */
export interface SavedWork extends Pick<ChainWork, 'next' | 'cheatDiffs'> {
  /** Number of the block that was never to be undone. */
  readonly firstHead: number
  /** `undefined`: those of the node. */
  readonly settings: ChainSettings | undefined
  /** The block that was open; `undefined`: a new one. */
  readonly pending: SavedPending | undefined
  /** In the order in which they became runnable, then those behind a gap. */
  readonly mempool: readonly ChainTransaction[]
}

/** A new devnet: its genesis block. */
export function createChainBase(genesis: GenesisParameters, engine: Engine): ChainBase {
  const store = new VersionedStore(engine.codes)
  return { store, history: new History(createGenesis(genesis, engine, store)) }
}

/**
 * Replaces the present chain. Readers see one or the other; saved pre-confirmed transactions are
 * executed again after that.
 */
export async function loadChainBase(
  { store, history, saved }: ChainBase,
  state: ChainState,
  producer: BlockProducer,
  snapshots: Snapshots,
): Promise<void> {
  const { head } = history
  // Ends what an earlier pending block over the same head committed.
  store.abandon(head.version)
  state.store = store
  state.history = history
  state.firstHead = saved?.firstHead ?? head.number
  state.work = {
    settings: saved?.settings ?? { ...state.work.settings, gasLimit: head.header.gasLimit },
    next: saved?.next ?? {},
    cheatDiffs: saved?.cheatDiffs ?? [],
    dropped: [],
  }
  snapshots.restart()
  // Publishes before its first pause: from then on, nothing of the previous chain is visible.
  const resumed = producer.resume(saved?.pending)
  state.mempool.restore([])
  await resumed
  const left = state.mempool.transactions()
  state.mempool.restore([])
  const dead = state.mempool.putBack([...left, ...(saved?.mempool ?? [])])
  for (const { transaction, reason } of dead) state.drop(transaction.hash, reason)
}
