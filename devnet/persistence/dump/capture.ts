import type { ChainSettings, ChainState, NextBlockOverrides } from '../../chain/chainState.ts'
import type { GenesisIdentity } from '../../chain/history.ts'
import type { PendingView } from '../../chain/pendingView.ts'
import type { SealedBlock } from '../../protocol/block.ts'
import type { ForkSchedule } from '../../protocol/forkSchedule.ts'
import type { ChainTransaction } from '../../protocol/transaction.ts'
import {
  LOST_VERSION,
  type StateView,
  type VersionedStore,
} from '../../state/store/versionedStore.ts'

/** A sealed block, and the states after it. */
export interface CapturedBlock {
  readonly block: SealedBlock
  /** `undefined` where they are not known: of the oldest blocks of a dump of anvil. */
  readonly states: BlockStates | undefined
}

export interface BlockStates {
  /** The state that its root stands for. */
  readonly sealed: StateView
  /** The same with the cheats between it and the next block. */
  readonly final: StateView
}

/** A chain at one moment: references only, which stay as they are while it is written down and the chain goes on. */
export interface ChainCapture {
  readonly chainId: number
  readonly schedule: ForkSchedule
  readonly store: VersionedStore
  /** Oldest first; at least one. */
  readonly blocks: readonly CapturedBlock[]
  readonly genesis: GenesisIdentity | undefined
  /** Of the last blocks below the oldest, by number. */
  readonly droppedHashes: ReadonlyMap<number, Uint8Array>
  readonly firstHead: number
  readonly pending: PendingView
  readonly next: NextBlockOverrides
  readonly settings: ChainSettings
  /** In the order of their turns. */
  readonly mempool: readonly ChainTransaction[]
  /** To be called once, when it is written down. */
  release(): void
}

/** What is saved: the chain, and what lies around it. */
export interface Capture extends ChainCapture {
  readonly clock: SavedClock
  /** Of the node; `undefined` where it does not outlive it. */
  readonly instanceId: string | undefined
}

/** Takes hold of this moment; within a turn of the writer's queue. */
export function captureChain(state: ChainState): ChainCapture {
  const { engine, store, history } = state
  const blocks = history.blocks().map((block) => ({ block, states: statesOf(block, store) }))
  const known = blocks.flatMap(({ states }) => states ?? [])
  // All versions in between are safe with the first and the last one.
  const held = [known[0]?.sealed, known.at(-1)?.final].map((view) => view?.retain())
  return {
    chainId: engine.chainId,
    schedule: engine.schedule,
    store,
    blocks,
    genesis: history.genesis,
    droppedHashes: new Map(history.droppedHashes),
    firstHead: state.firstHead,
    pending: state.pending,
    next: { ...state.next },
    settings: { ...state.settings },
    mempool: state.mempool.snapshot().map(({ transaction }) => transaction),
    release: () => {
      for (const view of held) view?.release()
    },
  }
}

function statesOf(block: SealedBlock, store: VersionedStore): BlockStates | undefined {
  const { sealedVersion, version } = block
  if (sealedVersion === LOST_VERSION) return undefined
  return { sealed: store.view(sealedVersion), final: store.view(version) }
}

/** How virtual time stands when a chain is saved. Both clocks themselves are as the options of the next start say. */
export interface SavedClock {
  /** ms since the epoch where time stood still; s that it was ahead of the wall clock where it ran. */
  readonly time: { readonly stopped: number } | { readonly offset: number }
  /** s by which `evm_increaseTime` moved it altogether. */
  readonly increased: number
  /** s that virtual time goes to when the pending block is sealed; `undefined` where it just goes on. */
  readonly expectedTimestamp: number | undefined
}
