import type { Engine } from '../engine/engine.ts'
import type { BlockHashes } from '../engine/types.ts'
import { ZERO_HASH } from '../primitives/bytes.ts'
import type { Hex } from '../primitives/hex.ts'
import { memoize } from '../primitives/memo.ts'
import { type Moment, momentNow, UNKNOWN_MOMENT } from '../primitives/moment.ts'
import { requireTrie, type SealedBlock } from '../protocol/block.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import { isOpeningDeposit } from '../protocol/rollup/openingDeposits.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import { mergeDiffs } from '../state/diffs.ts'
import type { VersionedStore } from '../state/store/versionedStore.ts'
import type { StateTrie } from '../state/trie/stateTrie.ts'
import { openPendingBlock } from './building/openPendingBlock.ts'
import {
  diffsSinceSeal,
  isContinued,
  type PendingView,
  pendingHash,
} from './building/pendingView.ts'
import type { ChainEvents, Publication } from './chainEvents.ts'
import type { ChainWork, Dropped, Schedule } from './chainWork.ts'
import type { ForkOrigin } from './forkedBase.ts'
import type { History } from './history.ts'
import type { Mempool } from './mempool.ts'

/** Maximum numbers of dropped and of reexecuted transactions remembered for the status. */
const DROPPED_KEPT = 100

/** A transaction that was dropped, and when. */
export interface DroppedTransaction {
  readonly transaction: ChainTransaction
  readonly droppedAt: Moment
}

/** The news of a view for its readers, see {@link Publication}. */
export type Told = Partial<Pick<Publication, 'isReorg' | 'isAtSeal'>>

/** The mutable state of a chain. Only write jobs change it, but for what enters the mempool. */
export class ChainState {
  readonly engine: Engine
  store: VersionedStore
  history: History
  /** The block that the chain stands on; `undefined` if it is not a fork. */
  origin: ForkOrigin | undefined
  /** Number of the block that the node started from; no command can undo it, so it is final. */
  firstHead: number
  readonly mempool: Mempool
  readonly schedule: Schedule
  /** Number of times that the chain was reset, or replaced by a loaded one. */
  resets = 0
  /** Aborts when the node stops: executions end, and nothing new begins. */
  readonly closing = new AbortController()
  readonly pendingIndex = new Map<Hex, ExecutedTransaction>()
  /** The newest transactions that were dropped. */
  readonly droppedTransactions = new Map<Hex, DroppedTransaction>()
  readonly events: ChainEvents
  /** Place of the present pending view. */
  place: Pick<Publication, 'build' | 'index' | 'slice' | 'total'> = {
    build: 0,
    index: 0,
    slice: 0,
    total: 0,
  }
  readonly #pendingHash: PendingHash
  #work: ChainWork
  #pending: PendingView

  constructor(parameters: {
    engine: Engine
    store: VersionedStore
    history: History
    origin?: ForkOrigin | undefined
    mempool: Mempool
    schedule: Schedule
    coinbase: Uint8Array
    pendingHash?: PendingHash | undefined
    events: ChainEvents
    /** The chain that this one branches off. Default: none */
    parent?: ChainState | undefined
  }) {
    const { pendingHash = 'zero' } = parameters
    const { engine, store, history, origin, mempool, schedule, coinbase, parent } = parameters
    this.events = parameters.events
    const { head } = history
    this.engine = engine
    this.store = store
    this.history = history
    this.origin = origin
    this.firstHead = parent?.firstHead ?? head.number
    this.mempool = mempool
    this.schedule = schedule
    this.#pendingHash = pendingHash
    if (parent !== undefined) {
      this.resets = parent.resets
      this.place = parent.place
      this.#work = parent.#work
      const { pending } = parent
      const environment = { ...pending.environment, parent: head }
      this.#pending = { ...pending, environment, state: store.view(pending.state.version) }
      for (const entry of parent.pendingIndex) this.pendingIndex.set(...entry)
      this.#pending.state.retain()
      return
    }
    this.#work = {
      settings: {
        coinbase,
        gasLimit: head.header.gasLimit,
        chainId: engine.chainId,
        timestampInterval: undefined,
        minGasPrice: 0n,
        impersonated: new Set(),
        impersonateAll: false,
      },
      next: {},
      cheatDiffs: [],
      dropped: [],
      reexecuted: [],
    }
    this.#pending = this.#withHash(openPendingBlock(this))
    this.#pending.state.retain()
  }

  get work(): ChainWork {
    return this.#work
  }

  set work(work: ChainWork) {
    this.#work = work
    this.engine.setChainId(work.settings.chainId)
  }

  /** Replaces a part of {@link work}. */
  update(changes: Partial<ChainWork>): void {
    this.work = { ...this.#work, ...changes }
  }

  get pending(): PendingView {
    return this.#pending
  }

  #withHash(view: PendingView): PendingView {
    if (this.#pendingHash === 'zero') return view
    if (this.#pendingHash === 'ones') return { ...view, hash: ONES }
    return { ...view, hash: pendingHash(view, this.engine.crypto.keccak256) }
  }

  /**
   * Shows a view to readers of `"pending"`; its transactions and receipts appear at once.
   *
   * @param told - Default: neither
   */
  publish(built: PendingView, { isReorg = false, isAtSeal = false }: Told = {}): void {
    const view = this.#withHash(built)
    const before = this.#pending
    const continues = isContinued(before, view)
    const moment = momentNow()
    // A drop executes the rest again: those transactions keep the time of their first execution.
    const seen = continues || view.executed.length === 0 ? undefined : new Map(this.pendingIndex)
    if (!continues) this.pendingIndex.clear()
    for (const executed of view.executed.slice(continues ? before.executed.length : 0)) {
      const { hash } = executed.transaction
      if (executed.preconfirmedAt === UNKNOWN_MOMENT) {
        executed.preconfirmedAt = seen?.get(hash)?.preconfirmedAt ?? moment
      }
      this.pendingIndex.set(hash, executed)
    }
    // Retain the state: it must stay readable while a drop executes the block again.
    view.state.retain()
    before.state.release()
    this.#pending = view
    const isCheat = continues && view.ticks === before.ticks
    const { build, index, slice, total } = this.place
    const place = { total: isCheat ? total : total + 1 }
    this.place = continues
      ? { ...place, build, index: index + 1, slice: isCheat ? slice : slice + 1 }
      : { ...place, build: build + 1, index: 0, slice: 0 }
    const { published } = this.events
    if (published.size === 0) return
    const shown = { view, before: continues ? before : undefined, ...this.place }
    published.emit({ ...shown, isCheat, isReorg, isAtSeal })
  }

  /**
   * @param transaction - Default: the one with this hash, if it is pre-confirmed or waits
   * @param more.preconfirmed - Default: whether readers see it as pre-confirmed now
   */
  drop(
    { hash, reason, ...more }: Omit<Dropped, 'preconfirmed'> & Partial<Dropped>,
    transaction = this.pendingIndex.get(hash)?.transaction ?? this.mempool.get(hash),
  ): void {
    const [oldest] = this.droppedTransactions.keys()
    if (this.droppedTransactions.size >= DROPPED_KEPT && oldest !== undefined) {
      this.droppedTransactions.delete(oldest)
    }
    if (transaction !== undefined) {
      this.droppedTransactions.set(hash, { transaction, droppedAt: momentNow() })
    }
    const dropped = { hash, reason, preconfirmed: this.pendingIndex.has(hash), ...more }
    this.update({ dropped: [...this.#work.dropped, dropped].slice(-DROPPED_KEPT) })
    this.events.dropped.emit(dropped)
  }

  /**
   * Lets transactions that have left their block wait before all others, and drops those that can
   * never run any more.
   */
  putBack(all: readonly ChainTransaction[]): void {
    // The deposit that opens a block belongs to that block.
    const transactions = all.filter((one) => !isOpeningDeposit(one))
    const preconfirmed = new Set(transactions)
    for (const { transaction, ...why } of this.mempool.putBack(transactions)) {
      const isPreconfirmed = preconfirmed.has(transaction)
      this.drop({ hash: transaction.hash, preconfirmed: isPreconfirmed, ...why }, transaction)
    }
  }

  /** Remembers transactions that a drop executed again. */
  noteReexecuted(executed: readonly ExecutedTransaction[]): void {
    const hashes = executed.map(({ transaction }) => transaction.hash)
    this.update({ reexecuted: [...this.#work.reexecuted, ...hashes].slice(-DROPPED_KEPT) })
  }

  /** Hashes of sealed blocks and of those below the fork block, for BLOCKHASH. */
  readonly blockHashes: BlockHashes = (number) => {
    const own = this.history.hashOf(Number(number))
    if (own !== undefined) return own
    const { origin } = this
    if (origin === undefined || number >= origin.header.number) return ZERO_HASH
    return origin.remote.blockHash(number)
  }

  /**
   * The trie of the state after a block, cheats included. For the pending view, the trie of the
   * state after its last pre-confirmed transaction, without the changes that sealing makes.
   *
   * @param block - a block that is still kept, or a pending view of the newest one
   */
  stateTrie(block: SealedBlock | PendingView): StateTrie {
    if ('environment' in block) return this.#pendingTrie(block)
    const { cheatDiffs } = this.#work
    const trie = requireTrie(block)
    if (block !== this.history.head || cheatDiffs.length === 0) return trie
    return trie.apply(mergeDiffs(cheatDiffs), this.store.view(block.version))
  }

  readonly #pendingTrie = memoize((view: PendingView) => {
    return requireTrie(view.environment.parent).apply(mergeDiffs(diffsSinceSeal(view)), view.state)
  })
}

/** The hash of a pending block: none yet, that of its header so far, or a placeholder. */
export type PendingHash = 'zero' | 'of its header' | 'ones'

/** MegaETH's placeholder. */
const ONES: Hex = `0x${'ff'.repeat(32)}`
