import type { Engine } from '../engine/engine.ts'
import type { ForkSchedule } from '../protocol/forkSchedule.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import { VersionedStore } from '../state/store/versionedStore.ts'
import type { BlockRebuilder, SavedPending } from './blockRebuilder.ts'
import type { ChainState } from './chainState.ts'
import type { ChainSettings, ChainWork } from './chainWork.ts'
import type { ForkOrigin } from './forkedBase.ts'
import { createGenesis, type GenesisParameters } from './genesis.ts'
import { History } from './history.ts'
import type { Snapshots } from './snapshots.ts'

/** The sealed blocks and states that a chain starts from. */
export interface ChainBase {
  readonly store: VersionedStore
  readonly history: History
  /** The block that the chain stands on; `undefined` if it stands on no other chain. */
  readonly origin?: ForkOrigin | undefined
  /** Rules of the chain if they may differ from those of the engine. */
  readonly schedule?: ForkSchedule | undefined
  /** What else a saved chain has; `undefined` if the chain does not come from a save. */
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

/** The base of a new devnet: only its genesis block. */
export function createChainBase(genesis: GenesisParameters, engine: Engine): ChainBase {
  const store = new VersionedStore(engine.codes)
  return { store, history: new History(createGenesis(genesis, engine, store)) }
}

/**
 * Replaces the present chain. Readers see the old chain or the new one, never a mix. The saved
 * pre-confirmed transactions are executed again after the switch.
 *
 * @param beforeSwitch - called right before the switch
 * @throws {UpstreamError} if the account of a sender cannot be read; nothing has changed then
 */
export async function loadChainBase(
  { store, history, origin, schedule, saved }: ChainBase,
  state: ChainState,
  rebuilder: BlockRebuilder,
  snapshots: Snapshots,
  beforeSwitch: () => void,
): Promise<void> {
  const { head } = history
  // Their nonces are read when they are put back.
  const executed = saved?.pending?.executed.map(({ transaction }) => transaction) ?? []
  const senders = [...executed, ...state.mempool.transactions(), ...(saved?.mempool ?? [])]
  const accounts = senders.map(({ senderKey }) => senderKey)
  const ready = store.view(head.version).lazyReads?.all({ accounts, slots: [] })
  if (ready !== undefined) await ready
  beforeSwitch()
  // Discards the states that an earlier pending block on the same head committed.
  store.abandon(head.version)
  state.store = store
  state.history = history
  state.origin = origin
  if (schedule !== undefined) state.engine.setSchedule(schedule)
  state.firstHead = saved?.firstHead ?? head.number
  state.work = {
    settings: saved?.settings ?? { ...state.work.settings, gasLimit: head.header.gasLimit },
    next: saved?.next ?? {},
    cheatDiffs: saved?.cheatDiffs ?? [],
    dropped: [],
    reexecuted: [],
  }
  snapshots.restart()
  // `resume` publishes before it first awaits: from then on, the previous chain is not visible.
  const resumed = rebuilder.resume(saved?.pending)
  state.mempool.restore([])
  await resumed
  const left = state.mempool.transactions()
  state.mempool.restore([])
  const dead = state.mempool.putBack([...left, ...(saved?.mempool ?? [])])
  for (const { transaction, ...why } of dead) state.drop({ hash: transaction.hash, ...why })
}
