import type { SealedBlock } from '../protocol/block.ts'
import type { GenesisIdentity } from '../protocol/forkId.ts'
import type { ForkSchedule } from '../protocol/forkSchedule.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import { LOST_VERSION, type StateView, type VersionedStore } from '../state/store/versionedStore.ts'
import type { PendingView } from './building/pendingView.ts'
import type { ChainState } from './chainState.ts'
import type { ChainWork } from './chainWork.ts'
import type { ForkOrigin } from './forkedBase.ts'
import { ReservedRange } from './reservedRange.ts'

/** A sealed block, and the states after it. */
export interface CapturedBlock {
  /** The last one of a range. */
  readonly block: SealedBlock
  /** `undefined` for a single block. */
  readonly range: ReservedRange | undefined
  /**
   * `sealed` is the state that the block's root commits to; `final` includes the cheats made before
   * the next block. `undefined` if unknown, as for the oldest blocks of an anvil dump.
   */
  readonly states: { readonly sealed: StateView; readonly final: StateView } | undefined
}

/** A chain at one moment. Stays valid while it is written to a dump and the chain goes on. */
export interface ChainCapture {
  readonly chainId: number
  readonly schedule: ForkSchedule
  readonly store: VersionedStore
  /** The block that the chain stands on; `undefined` if it is not a fork. */
  readonly origin: ForkOrigin | undefined
  /** Oldest first; at least one. */
  readonly blocks: readonly CapturedBlock[]
  readonly genesis: GenesisIdentity | undefined
  /** Hashes of the last blocks before the oldest of `blocks`, by number. */
  readonly droppedHashes: ReadonlyMap<number, Uint8Array>
  readonly firstHead: number
  readonly pending: PendingView
  readonly work: ChainWork
  /** First the runnable ones, in the order they became runnable; then those behind a nonce gap. */
  readonly mempool: readonly ChainTransaction[]
  /** To be called once, when the capture is no longer needed. */
  release(): void
}

/** Captures the chain now. To be called within a write job, or once the chain is closed. */
export function captureChain(state: ChainState): ChainCapture {
  const { engine, store, history, origin, firstHead, pending, work } = state
  const blocks = history.entries().map((entry): CapturedBlock => {
    const range = entry instanceof ReservedRange ? entry : undefined
    const block = entry instanceof ReservedRange ? entry.newest : entry
    return { block, range, states: statesOf(block, store) }
  })
  const known = blocks.flatMap(({ states }) => states ?? [])
  // Retaining the first and the last version protects all versions in between.
  const retained = [known[0]?.sealed, known.at(-1)?.final].map((view) => view?.retain())
  return {
    chainId: engine.chainId,
    schedule: engine.schedule,
    store,
    origin,
    blocks,
    genesis: history.genesis,
    droppedHashes: new Map(history.droppedHashes),
    firstHead,
    pending,
    work,
    mempool: state.mempool.snapshot().map(({ transaction }) => transaction),
    release: () => {
      for (const view of retained) view?.release()
    },
  }
}

function statesOf(block: SealedBlock, store: VersionedStore): CapturedBlock['states'] {
  const { sealedVersion, version } = block
  if (sealedVersion === LOST_VERSION) return undefined
  return { sealed: store.view(sealedVersion), final: store.view(version) }
}
