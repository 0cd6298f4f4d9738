import type { StateDiff, Version } from '../state/types.ts'
import type { ChainState, Dropped, NextBlockChoices, StandingChoices } from './chainState.ts'
import { mergeDiffs } from './diffs.ts'
import type { MempoolSnapshot } from './mempoolPlace.ts'
import type { PendingView } from './pendingView.ts'

/** A moment to go back to: references only, so that it costs nothing in proportion to the state. */
interface Snapshot {
  readonly headNumber: number
  readonly headVersion: Version
  readonly pending: PendingView
  readonly cheatDiffs: readonly StateDiff[]
  readonly blockDiffs: readonly StateDiff[]
  readonly next: NextBlockChoices
  readonly standing: StandingChoices
  readonly mempool: MempoolSnapshot
  readonly dropped: readonly Dropped[]
  /** Puts back what lies outside the chain: the clocks. */
  readonly restoreClocks: () => void
}

/** The snapshots of `evm_snapshot`; ids rise from 1 and are never used again. */
export class Snapshots {
  readonly #state: ChainState
  readonly #snapshots = new Map<number, Snapshot>()
  #lastId = 0

  constructor(state: ChainState) {
    this.#state = state
  }

  /** Remembers this moment; answers its id. */
  take(restoreClocks: () => void): number {
    const state = this.#state
    const { head } = state.history
    // A cheat may move the head on to another version, and this one be forgotten with old blocks.
    state.store.retain(head.version)
    this.#snapshots.set(++this.#lastId, {
      headNumber: head.number,
      headVersion: head.version,
      pending: state.pending,
      cheatDiffs: [...state.cheatDiffs],
      blockDiffs: [...state.blockDiffs],
      next: { ...state.next },
      standing: { ...state.standing },
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
    state.history.truncate(snapshot.headNumber)
    state.history.head.version = snapshot.headVersion
    state.cheatDiffs = [...snapshot.cheatDiffs]
    state.blockDiffs = [...snapshot.blockDiffs]
    state.next = { ...snapshot.next }
    Object.assign(state.standing, snapshot.standing)
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

  /** Ends the snapshots of blocks that are not kept any more. */
  dropBelow(number: number): void {
    for (const [id, snapshot] of this.#snapshots) {
      if (snapshot.headNumber < number) this.#end(id)
    }
  }

  #end(id: number): void {
    const snapshot = this.#snapshots.get(id)
    if (snapshot === undefined) return
    this.#snapshots.delete(id)
    this.#state.store.release(snapshot.headVersion)
  }
}
