import type { SavedClock } from '../../clock/savedClock.ts'
import type { ForkSchedule } from '../../engine/forkSchedule.ts'
import { LOST_VERSION, type StateView, type VersionedStore } from '../../state/versionedStore.ts'
import type { SealedBlock } from '../block.ts'
import type { ChainState, NextBlockChoices, StandingChoices } from '../chainState.ts'
import type { GenesisIdentity } from '../history.ts'
import type { PendingView } from '../pendingView.ts'
import type { ChainTransaction } from '../transaction.ts'

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
  readonly next: NextBlockChoices
  readonly standing: StandingChoices
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
    standing: { ...state.standing },
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
