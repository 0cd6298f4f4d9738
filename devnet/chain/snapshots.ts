import { InvalidParamsError, RefusedError } from '../primitives/errors.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import { mergeDiffs } from '../state/diffs.ts'
import type { Version } from '../state/types.ts'
import { openPendingBlock } from './building/openPendingBlock.ts'
import type { PendingView } from './building/pendingView.ts'
import type { ChainState } from './chainState.ts'
import type { ChainWork } from './chainWork.ts'
import type { MempoolSnapshot } from './mempool.ts'
import type { ReservedRange } from './reservedRange.ts'

/** The snapshots of `evm_snapshot`. Ids count up from 1 and are never reused. */
export class Snapshots {
  readonly #state: ChainState
  readonly #snapshots = new Map<number, Snapshot>()
  #start: Start
  #lastId = 0

  /**
   * @param state - the chain's state before its first change
   * @param parent - of the chain that this one branches off, whose start is its own. Default: none
   */
  constructor(state: ChainState, parent?: Snapshots) {
    this.#state = state
    this.#start = parent === undefined ? startOf(state) : parent.#start
  }

  /** Starts over with another chain; deletes the snapshots of the previous one. */
  restart(): void {
    for (const { bytes } of this.#snapshots.values()) this.#state.mempool.held.add(-bytes)
    this.#snapshots.clear()
    this.#start = startOf(this.#state)
  }

  /** By id, oldest first. */
  get all(): ReadonlyMap<number, Snapshot> {
    return this.#snapshots
  }

  /** Takes a snapshot; returns its id. @throws {LimitError} if the node holds too much */
  take(restoreClocks: () => void): number {
    const { history, mempool, pending, schedule, store, work } = this.#state
    const { head } = history
    // The transactions, too: they may leave the mempool before the snapshot goes.
    const bytes = 1024 + mempool.bytes
    mempool.held.require(bytes, 'go back to an older snapshot with evm_revert')
    // Pin this version: a cheat may move the head to another one, and pruning could then drop it.
    store.retain(head.version)
    this.#snapshots.set(++this.#lastId, {
      head,
      time: schedule.now,
      headVersion: head.version,
      pending,
      work,
      mempool: mempool.snapshot(),
      bytes,
      restoreClocks,
    })
    return this.#lastId
  }

  /**
   * Goes back to a snapshot, and deletes it and all later ones.
   *
   * @returns false if there is no such snapshot
   */
  revert(id: number): boolean {
    const snapshot = this.#snapshots.get(id)
    if (snapshot === undefined) return false
    const state = this.#state
    const { head, headVersion, pending } = snapshot
    this.#rewind(head.number, headVersion, snapshot.work)
    // A later drop may have discarded the pending block's versions, so commit its changes again.
    const version =
      pending.blockDiffs.length === 0
        ? headVersion
        : state.store.commit(mergeDiffs(pending.blockDiffs))
    // A new environment object marks a new build of the block, even if nothing has changed.
    const environment = { ...pending.environment, parent: state.history.head }
    state.publish({ ...pending, environment, state: state.store.view(version) })
    state.mempool.restore(snapshot.mempool)
    snapshot.restoreClocks()
    for (const other of this.#snapshots.keys()) if (other >= id) this.#end(other)
    return true
  }

  /**
   * Goes back to the block and settings that the node started with; deletes all snapshots.
   *
   * @param restoreClocks - called before the pending block opens
   * @throws {RefusedError}
   */
  reset(restoreClocks: () => void): void {
    const state = this.#state
    const { number, version, work } = this.#start
    if (state.history.oldest > number) throw blockForgotten()
    try {
      this.#rewind(number, version, work)
    } catch (error) {
      throw blockForgotten(error)
    }
    restoreClocks()
    state.publish(openPendingBlock(state))
    state.mempool.restore([])
    for (const id of this.#snapshots.keys()) this.#end(id)
  }

  /**
   * Forgets the newest `depth` sealed blocks and opens a block on the one before, whose state is as
   * it was last, with the cheats made before the next block. Settings stay, except that the gas
   * limit is that block's. Deletes the snapshots of forgotten blocks.
   *
   * @param restoreClocks - called with the newest block that is left before the next one opens
   * @returns the forgotten blocks, oldest first, and what was pre-confirmed, for the mempool
   * @throws {DevnetError} nothing has changed then
   */
  rollback(
    depth: number,
    restoreClocks: (head: SealedBlock) => void,
  ): {
    readonly abandoned: readonly (SealedBlock | ReservedRange)[]
    readonly preconfirmed: readonly ChainTransaction[]
  } {
    const state = this.#state
    const { pending, work } = state
    const block = this.blockBefore(depth, 'Rollback')
    const settings = { ...work.settings, gasLimit: block.header.gasLimit }
    const abandoned = this.forgetAfter(block, { ...work, settings, next: {} })
    restoreClocks(state.history.head)
    state.publish(openPendingBlock(state), { isReorg: abandoned.length > 0 })
    return { abandoned, preconfirmed: pending.executed.map(({ transaction }) => transaction) }
  }

  /**
   * The block before the newest `depth` sealed ones.
   *
   * @param command - named in errors
   * @throws {InvalidParamsError} if there are fewer
   * @throws {RefusedError} if that block is not kept, or the node started from a later one
   */
  blockBefore(depth: number, command: 'Rollback' | 'Reorg'): SealedBlock {
    const { firstHead, history } = this.#state
    const number = history.head.number - depth
    if (number < 0) {
      // The message is anvil's.
      throw new InvalidParamsError(
        `${command} depth must not exceed current chain height: current height ${history.head.number}, depth ${depth}`,
      )
    }
    const block = number < firstHead ? undefined : history.byNumber(number)
    if (block !== undefined) return block
    const first = Math.max(firstHead, history.oldest)
    throw new RefusedError(
      `block ${number} is final: want a ${command.toLowerCase()} to block ${first} or later`,
    )
  }

  /**
   * Forgets the blocks after `block`. Its state is as it was last, with the cheats made before the
   * next block. Deletes the snapshots of forgotten blocks.
   *
   * @param work - what commands have chosen for later blocks
   * @returns the forgotten blocks, oldest first
   * @throws {VersionGoneError} nothing has changed then
   */
  forgetAfter(
    { number, version, sealedVersion }: SealedBlock,
    work: Omit<ChainWork, 'cheatDiffs'>,
  ): (SealedBlock | ReservedRange)[] {
    const { store } = this.#state
    const cheatDiffs = version === sealedVersion ? [] : [store.diffBetween(sealedVersion, version)]
    const forgotten = this.#rewind(number, version, { ...work, cheatDiffs })
    if (number < this.#start.number) {
      this.#start = { number, version, work: { ...this.#start.work, cheatDiffs } }
    }
    for (const [id, { head }] of this.#snapshots) if (head.number > number) this.#end(id)
    return forgotten
  }

  /**
   * @returns the forgotten blocks, oldest first
   * @throws {Error} if the version is not kept any more; in that case, nothing has changed
   */
  #rewind(number: number, version: Version, work: ChainWork): (SealedBlock | ReservedRange)[] {
    const { store, history } = this.#state
    store.abandon(version)
    const forgotten = history.truncate(number)
    history.head.version = version
    this.#state.work = work
    return forgotten
  }

  /** Deletes the snapshots of blocks that are not kept any more. */
  dropBelow(number: number): void {
    for (const [id, snapshot] of this.#snapshots) {
      if (snapshot.head.number < number) this.#end(id)
    }
  }

  #end(id: number): void {
    const snapshot = this.#snapshots.get(id)
    if (snapshot === undefined) return
    this.#snapshots.delete(id)
    this.#state.mempool.held.add(-snapshot.bytes)
    this.#state.store.release(snapshot.headVersion)
  }
}

/** No reset is possible: the block that the node started from is not kept any more. */
function blockForgotten(cause?: unknown): RefusedError {
  return new RefusedError(
    'The first block of this node is not kept any more, so it cannot be reset; start with a larger --keep-blocks, or with 0 to keep all',
    { cause },
  )
}

/** The point that a reset goes back to. */
interface Start {
  readonly number: number
  readonly version: Version
  readonly work: ChainWork
}

function startOf({ history, work }: ChainState): Start {
  const { number, version } = history.head
  return { number, version, work: { ...work, next: {}, dropped: [], reexecuted: [] } }
}

/** A moment to go back to. Holds references only: its cost does not depend on the state's size. */
export interface Snapshot {
  readonly head: SealedBlock
  /** Virtual time, ms since the epoch. */
  readonly time: number
  readonly headVersion: Version
  readonly pending: PendingView
  readonly work: ChainWork
  readonly mempool: MempoolSnapshot
  readonly bytes: number
  readonly restoreClocks: () => void
}
