import { RefusedError } from '../primitives/errors.ts'
import type { SealedBlock } from '../protocol/block.ts'
import { mergeDiffs } from '../state/diffs.ts'
import type { StateDiff, Version } from '../state/types.ts'
import type { ChainSettings, ChainState, Dropped, NextBlockOverrides } from './chainState.ts'
import type { MempoolSnapshot } from './mempool.ts'
import { openPendingView } from './openPendingBlock.ts'
import type { PendingView } from './pendingView.ts'

/** The block that the node went on from is not kept any more. */
export class ResetError extends RefusedError {
  override name = 'ResetError'
  constructor(cause?: unknown) {
    super(
      'The first block of this node is not kept any more, so it cannot be reset; start with a larger --keep-blocks, or with 0 to keep all',
      { cause },
    )
  }
}

/** What the node went on from. */
interface Origin {
  readonly number: number
  readonly version: Version
  /** By cheats, since the block was sealed. */
  readonly cheatDiffs: readonly StateDiff[]
  readonly settings: ChainSettings
}

function originOf({ history, cheatDiffs, settings }: ChainState): Origin {
  const { number, version } = history.head
  return { number, version, cheatDiffs: [...cheatDiffs], settings: { ...settings } }
}

/** A moment to go back to: references only, so that it costs nothing in proportion to the state. */
interface Snapshot {
  readonly head: SealedBlock
  readonly headVersion: Version
  readonly pending: PendingView
  readonly cheatDiffs: readonly StateDiff[]
  readonly blockDiffs: readonly StateDiff[]
  readonly next: NextBlockOverrides
  readonly settings: ChainSettings
  readonly mempool: MempoolSnapshot
  readonly dropped: readonly Dropped[]
  /** Puts back what lies outside the chain: the clocks. */
  readonly restoreClocks: () => void
}

/** The snapshots of `evm_snapshot`; ids rise from 1 and are never used again. */
export class Snapshots {
  readonly #state: ChainState
  readonly #snapshots = new Map<number, Snapshot>()
  #origin: Origin
  #lastId = 0

  /** @param state - that of a chain to which nothing has happened yet */
  constructor(state: ChainState) {
    this.#state = state
    this.#origin = originOf(state)
  }

  /** Begins anew on another chain: what the snapshots held is gone with the one before. */
  restart(): void {
    this.#snapshots.clear()
    this.#origin = originOf(this.#state)
  }

  /** The newest sealed block of each snapshot, by id. */
  heads(): ReadonlyMap<number, SealedBlock> {
    return new Map([...this.#snapshots].map(([id, { head }]) => [id, head]))
  }

  /** Remembers this moment; answers its id. */
  take(restoreClocks: () => void): number {
    const state = this.#state
    const { head } = state.history
    // A cheat may move the head on to another version, and this one be forgotten with old blocks.
    state.store.retain(head.version)
    this.#snapshots.set(++this.#lastId, {
      head,
      headVersion: head.version,
      pending: state.pending,
      cheatDiffs: [...state.cheatDiffs],
      blockDiffs: [...state.blockDiffs],
      next: { ...state.next },
      settings: { ...state.settings },
      mempool: state.mempool.snapshot(),
      dropped: [...state.dropped],
      restoreClocks,
    })
    return this.#lastId
  }

  /**
   * Goes back to a snapshot; it and all later ones end.
   *
   * @returns false where there is no such snapshot
   */
  revert(id: number): boolean {
    const snapshot = this.#snapshots.get(id)
    if (snapshot === undefined) return false
    const state = this.#state
    state.store.abandon(snapshot.headVersion)
    state.history.truncate(snapshot.head.number)
    state.history.head.version = snapshot.headVersion
    state.cheatDiffs = [...snapshot.cheatDiffs]
    state.blockDiffs = [...snapshot.blockDiffs]
    state.next = { ...snapshot.next }
    Object.assign(state.settings, snapshot.settings)
    state.engine.setChainId(snapshot.settings.chainId)
    state.dropped = [...snapshot.dropped]
    // The versions of that pending block may be gone, by a cheat since: its changes make a new one.
    const version =
      snapshot.blockDiffs.length === 0
        ? snapshot.headVersion
        : state.store.commit(mergeDiffs(snapshot.blockDiffs))
    state.publish({ ...snapshot.pending, state: state.store.view(version) })
    state.mempool.restore(snapshot.mempool)
    snapshot.restoreClocks()
    for (const other of this.#snapshots.keys()) if (other >= id) this.#end(other)
    return true
  }

  /**
   * Goes back to the block that the node went on from, and to the choices of its start; all snapshots end.
   *
   * @param restoreClocks - called before the first block opens anew
   * @throws {ResetError}
   */
  reset(restoreClocks: () => void): void {
    const state = this.#state
    const { number, version, cheatDiffs, settings } = this.#origin
    if (state.history.oldest > number) throw new ResetError()
    try {
      state.store.abandon(version)
    } catch (error) {
      throw new ResetError(error)
    }
    state.history.truncate(number)
    state.history.head.version = version
    state.cheatDiffs = [...cheatDiffs]
    state.next = {}
    Object.assign(state.settings, settings)
    state.engine.setChainId(settings.chainId)
    state.dropped = []
    restoreClocks()
    state.publish(openPendingView(state, 0))
    state.mempool.restore([])
    for (const id of this.#snapshots.keys()) this.#end(id)
  }

  /** Ends the snapshots of blocks that are not kept any more. */
  dropBelow(number: number): void {
    for (const [id, snapshot] of this.#snapshots) {
      if (snapshot.head.number < number) this.#end(id)
    }
  }

  #end(id: number): void {
    const snapshot = this.#snapshots.get(id)
    if (snapshot === undefined) return
    this.#snapshots.delete(id)
    this.#state.store.release(snapshot.headVersion)
  }
}
