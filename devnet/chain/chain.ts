import type { Engine } from '../engine/engine.ts'
import { firstReads } from '../engine/firstReads.ts'
import { RefusedError } from '../primitives/errors.ts'
import type { HeldBytes } from '../primitives/heldBytes.ts'
import type { Hex } from '../primitives/hex.ts'
import { momentNow } from '../primitives/moment.ts'
import { SerialQueue } from '../primitives/serialQueue.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import {
  type ChainTransaction,
  type TransactionFields,
  toChainTransaction,
} from '../protocol/transaction.ts'
import { LOST_VERSION, type VersionedStore } from '../state/store/versionedStore.ts'
import type { StateTrie } from '../state/trie/stateTrie.ts'
import type { Version } from '../state/types.ts'
import { type AdmissionTerms, checkAdmission, knownError, replacement } from './admission.ts'
import { BlockFiller, nodeStopped } from './building/blockFiller.ts'
import { BlockProducer } from './building/blockProducer.ts'
import { BlockRebuilder } from './building/blockRebuilder.ts'
import { isOutdated } from './building/openPendingBlock.ts'
import { isEmptyBlock, type PendingView } from './building/pendingView.ts'
import { WarmUps } from './building/warmUps.ts'
import type { ChainBase } from './chainBase.ts'
import { type ChainCapture, captureChain } from './chainCapture.ts'
import {
  type ChainEventSources,
  createChainEvents,
  isEmitting,
  type Publication,
} from './chainEvents.ts'
import { ChainState, type DroppedTransaction, type PendingHash } from './chainState.ts'
import type { ChainSettings, Dropped, Schedule } from './chainWork.ts'
import { ChainWriter } from './chainWriter.ts'
import type { ForkOrigin } from './forkedBase.ts'
import type { History } from './history.ts'
import { Mempool, type Order } from './mempool.ts'
import { type Snapshot, Snapshots } from './snapshots.ts'
import { type Submission, Submissions } from './submissions.ts'
import { WriteQueue } from './writeQueue.ts'

/**
 * A chain: its sealed blocks, pending block and mempool. Reads are synchronous; every change except
 * admission is a job on the write queue.
 */
export class Chain {
  readonly engine: Engine
  /** Receives what listeners throw. */
  readonly onInternalError: (error: unknown) => void
  /**
   * Sends in instant mode, and those whose gas is estimated, one after the other, so that each is
   * estimated on the state after the ones before it, and none overtakes another.
   */
  readonly sends = new SerialQueue()
  /** Counts what is held for the clients of this chain. */
  readonly held: HeldBytes
  readonly #parameters: ChainParameters
  /** The fork block of the chain that this one branches off. */
  readonly #sharedOrigin: ForkOrigin | undefined
  readonly #state: ChainState
  readonly #warmUps: WarmUps
  readonly #snapshots: Snapshots
  readonly #submissions: Submissions
  readonly #writes: WriteQueue
  readonly #arrivals = new SerialQueue()
  readonly #writer: ChainWriter
  /** Name of the node that decides on this chain; `undefined`: this one. */
  #followed: string | undefined

  /** @param parent - the chain that this one branches off. Default: none */
  constructor(engine: Engine, schedule: Schedule, parameters: ChainParameters, parent?: Chain) {
    this.#parameters = parameters
    this.#sharedOrigin = parent?.origin
    const { base, coinbase, onInternalError } = parameters
    this.held = parameters.held
    const mempool = new Mempool({
      held: this.held,
      capacity: parameters.mempoolSize,
      order: parameters.order,
      easyReplacement: parameters.easyReplacement,
      nonce: (sender) => this.pending.state.account(sender)?.nonce ?? 0n,
    })
    this.engine = engine
    this.onInternalError = onInternalError
    this.#state = new ChainState({
      ...base,
      engine,
      mempool,
      schedule,
      coinbase,
      pendingHash: parameters.pendingHash,
      events: createChainEvents(onInternalError),
      parent: parent === undefined ? undefined : parent.#state,
    })
    if (parent !== undefined) mempool.restore(parent.mempool.snapshot())
    this.#warmUps = new WarmUps(this.#state)
    const filler = new BlockFiller(this.#state, this.#warmUps)
    const producer = new BlockProducer(this.#state, filler)
    this.#snapshots = new Snapshots(
      this.#state,
      parent === undefined ? undefined : parent.#snapshots,
    )
    this.#writes = new WriteQueue(this.#state, this.#warmUps, () => {
      producer.endPreview()
      this.#state.events.written.emit()
    })
    this.#writer = new ChainWriter({
      state: this.#state,
      producer,
      rebuilder: new BlockRebuilder(this.#state, filler, this.#warmUps),
      snapshots: this.#snapshots,
      queue: this.#writes,
      keepBlocks: parameters.keepBlocks,
    })
    this.#submissions = new Submissions({
      engine,
      rules: () => this.pending.environment.rules,
      admit: (decoded, terms) => this.admit(toChainTransaction(decoded, momentNow()), terms),
      prefetch: () => this.origin && this.prefetch,
      parent: parent === undefined ? undefined : parent.#submissions,
      onInternalError,
    })
  }

  /**
   * A second chain that begins exactly where this one is: with its blocks, its pending block, what
   * waits, and its settings. Neither sees what becomes of the other. To be called in a job of the
   * write queue.
   *
   * @param schedule - its clocks
   * @returns `release`: to be called once, when the branch is closed
   * @throws {LimitError} if the node has no room for another mempool like this one
   */
  branch(schedule: Schedule): { chain: Chain; release: () => void } {
    const { origin } = this
    const held = this.held.open()
    const { bytes } = this.mempool
    try {
      held.require(bytes, 'let a tick take some of the waiting transactions')
    } catch (error) {
      held.close()
      throw error
    }
    // Given back: the branch's own mempool counts these bytes.
    held.add(-bytes)
    const engine = this.engine.branch()
    const { store, release } = this.store.branch(engine.codes, this.#oldestVersion)
    const base = { store, history: this.history.branch(), origin }
    const chain = new Chain(engine, schedule, { ...this.#parameters, base, held }, this)
    return { chain, release }
  }

  /** The first version that a block needs. */
  get #oldestVersion(): Version {
    const { history, firstHead } = this
    const versionOf = (number: number) => history.byNumber(number)?.sealedVersion ?? LOST_VERSION
    const oldest = versionOf(history.oldest)
    // An anvil dump has the state of its newest block alone.
    return oldest === LOST_VERSION ? versionOf(firstHead) : oldest
  }

  /** The chain's states. Loading a dump replaces the store. */
  get store(): VersionedStore {
    return this.#state.store
  }

  /** The block that the chain stands on; `undefined` if it is not a fork. */
  get origin(): ForkOrigin | undefined {
    return this.#state.origin
  }

  /** Number of the block that the node started from; no command can undo it, so it is final. */
  get firstHead(): number {
    return this.#state.firstHead
  }

  /** The events that a listener can be added to. */
  get events(): ChainEventSources {
    return this.#state.events
  }

  get head(): SealedBlock {
    return this.#state.history.head
  }

  /** The pre-confirmed transactions, then those in the mempool. */
  unsealed(): ChainTransaction[] {
    const executed = this.pending.executed.map(({ transaction }) => transaction)
    return [...executed, ...this.mempool.transactions()]
  }

  get pending(): PendingView {
    return this.#state.pending
  }

  /** Place of the pending view among all that were published. */
  get published(): Pick<Publication, 'build' | 'index'> {
    return this.#state.place
  }

  /** Virtual time in ms since the epoch. */
  get now(): number {
    return this.#state.schedule.now
  }

  get mempool(): Mempool {
    return this.#state.mempool
  }

  get history(): History {
    return this.#state.history
  }

  get dropped(): readonly Dropped[] {
    return this.#state.work.dropped
  }

  /** One of {@link dropped}; `undefined` if it is not kept any more. */
  droppedTransaction(hash: Hex): DroppedTransaction | undefined {
    const isKept = this.dropped.some((one) => one.hash === hash)
    return isKept ? this.#state.droppedTransactions.get(hash) : undefined
  }

  /** Hashes of the transactions that drops and rearrangements executed again, oldest first. */
  get reexecuted(): readonly Hex[] {
    return this.#state.work.reexecuted
  }

  /** True if a command chose the timestamp, base fee or prevRandao of the pending block. */
  get hasChoice(): boolean {
    return Object.keys(this.#state.work.next).length > 0
  }

  /** Timestamp that a command chose for the pending block, in s. */
  get chosenTimestamp(): bigint | undefined {
    return this.#state.work.next.timestamp
  }

  /** True if the pending block holds nothing, and would have another timestamp if it opened now. */
  get isOutdated(): boolean {
    return isEmptyBlock(this.pending) && isOutdated(this.#state)
  }

  get settings(): ChainSettings {
    return this.#state.work.settings
  }

  get blockHashes(): ChainState['blockHashes'] {
    return this.#state.blockHashes
  }

  stateTrie(block: SealedBlock | PendingView): StateTrie {
    return this.#state.stateTrie(block)
  }

  /**
   * Number of times that the chain was reset or replaced by a loaded one; either undoes all
   * deployments.
   */
  get resets(): number {
    return this.#state.resets
  }

  /** The snapshots by their ids, oldest first. */
  get snapshots(): ReadonlyMap<number, Snapshot> {
    return this.#snapshots.all
  }

  /** True if a listener of this chain is running, so that a read cannot wait for the chain. */
  get notifying(): boolean {
    return isEmitting(this.#state.events)
  }

  /** Name of the node that decides on this chain; `undefined`: this one. */
  get followed(): string | undefined {
    return this.#followed
  }

  /**
   * Looks in the pending block, then in the mempool, then among the sealed transactions: one that
   * runs once more, as a cheat has lowered its sender's nonce, is at its newest place.
   */
  findTransaction(hash: Hex): TransactionLocation | undefined {
    const executed = this.#state.pendingIndex.get(hash)
    if (executed !== undefined) return { at: 'pending', view: this.pending, executed }
    const transaction = this.mempool.get(hash)
    if (transaction !== undefined) {
      return { at: 'mempool', transaction, runnable: this.mempool.isRunnable(hash) }
    }
    const sealed = this.#state.history.transaction(hash)
    return sealed && { at: 'sealed', block: sealed.block, executed: sealed.executed }
  }

  /**
   * Accepts a transaction into the mempool, in the order of the calls.
   *
   * @throws {DevnetError} if it is undecodable or refused; the promise may reject with it instead
   */
  submit(
    submission: Submission,
    terms?: AdmissionTerms,
  ): ChainTransaction | Promise<ChainTransaction> {
    if (this.#followed !== undefined) throw followerRefuses(this.#followed)
    return this.#submissions.submit(submission, terms)
  }

  /**
   * Resolves when all earlier submissions are accepted or refused; `undefined` if none is pending.
   * Reads of the mempool wait for this, so that a client finds what it has just sent.
   */
  settled(): Promise<void> | undefined {
    return this.#submissions.settled()
  }

  /**
   * Resolves when all transactions sent before are accepted or refused, in instant mode sealed;
   * `undefined` if they are.
   */
  sent(): Promise<void> | undefined {
    return this.sends.busy ? this.sends.run(() => this.settled()) : this.settled()
  }

  /** Accepts a decoded transaction. @throws {RefusedError} or the error of `terms.refuseGap` */
  admit(transaction: ChainTransaction, terms: AdmissionTerms = {}): ChainTransaction {
    const { environment, state } = this.pending
    const place = this.findTransaction(transaction.hash)
    const known = place && knownError(transaction, place.at, state)
    if (known !== undefined) throw known
    this.prefetch(transaction)
    checkAdmission(transaction, state, environment, this.settings.minGasPrice)
    if (terms.refuseGap !== undefined) {
      const next = this.mempool.nextNonce(transaction.senderKey)
      if (transaction.nonce > next) throw terms.refuseGap(next, transaction)
    }
    const { deposit, senderKey, nonce } = transaction
    const replaced = deposit === undefined ? this.mempool.at(senderKey, nonce) : undefined
    const freed = this.mempool.add(transaction)
    this.#warmUps.start(transaction)
    this.#state.events.admitted.emit(transaction)
    if (replaced !== undefined) {
      this.#state.drop({ hash: replaced.hash, ...replacement(transaction) }, replaced)
      this.#state.events.replaced.emit()
    }
    if (freed > 0) this.#state.events.runnable.emit(freed)
    return transaction
  }

  /** Begins to fetch what a transaction reads before its code runs, unless it is known. */
  readonly prefetch = (fields: Pick<TransactionFields, 'from' | 'to' | 'accessList'>): void => {
    const { environment, state } = this.pending
    if (state.lazyReads === undefined) return
    // The reader of a value gets the error.
    state.lazyReads.all(firstReads(fields, environment.coinbase))?.catch(() => undefined)
  }

  /**
   * Resolves when what was sent before is accepted or refused, and what it reads is known or has
   * failed, in the order of the calls; `undefined` if nothing waits for an upstream. Commands await
   * it outside of the write queue, so that ticks go on.
   */
  arrived(): Promise<void> | undefined {
    if (this.origin === undefined) return undefined
    const isWaiting = this.settled() ?? this.#warmUps.settled()
    if (isWaiting === undefined && !this.#arrivals.busy) return undefined
    return this.#arrivals.run(async () => {
      await this.settled()
      await this.#warmUps.settled()
    })
  }

  /**
   * Resolves when what a waiting transaction reads has come or failed; `undefined` if nothing is
   * being fetched for it.
   *
   * @throws {RefusedError}
   */
  fetching(hash: Hex): Promise<void> | undefined {
    const transaction = this.origin && this.mempool.get(hash)
    if (transaction === undefined) return undefined
    if (this.#state.closing.signal.aborted) throw nodeStopped()
    return this.#warmUps.of(transaction)
  }

  /** Loads the EVM ahead of use: making the first machine takes as long as 100 transactions. */
  async warmUp(): Promise<void> {
    const executor = await this.engine.executor(this.pending.environment.rules)
    executor.release(await executor.acquire(this.pending.state, this.blockHashes))
  }

  /**
   * Aborts executions and what waits for the upstream, settles all submissions, and resolves once
   * the write queue is idle.
   */
  async close(): Promise<void> {
    this.#state.closing.abort()
    const { origin } = this
    if (origin !== this.#sharedOrigin) origin?.remote.close()
    await this.#submissions.close()
    await this.#writes.idle()
    this.held.close()
    this.engine.close()
  }

  /**
   * Queues a job that changes the chain. All earlier submissions are accepted or refused before it
   * runs.
   */
  write<Result>(work: (writer: ChainWriter) => Result | Promise<Result>): Promise<Result> {
    if (this.#followed !== undefined) return Promise.reject(followerRefuses(this.#followed))
    const settled = this.#submissions.settled()
    const job = () => work(this.#writer)
    if (this.origin === undefined) return this.#writes.run(job, settled)
    // An upstream may hang: the clocks' jobs do not wait for it.
    const queue = () => this.#writes.command(job)
    return settled === undefined ? queue() : settled.then(queue)
  }

  /**
   * From now on, the chain is another node's: it refuses transactions and all jobs of
   * {@link write}.
   *
   * @param source - name of that node in errors
   */
  followOnly(source: string): void {
    this.#followed = source
  }

  /** Like {@link write}, but does not wait for submissions: the clocks' jobs must be on time. */
  writeNow<Result>(work: (writer: ChainWriter) => Result | Promise<Result>): Promise<Result> {
    return this.#writes.run(() => work(this.#writer))
  }

  /** Resolves when no job is running or queued. */
  idle(): Promise<void> {
    return this.#writes.idle()
  }

  capture(): ChainCapture {
    return captureChain(this.#state)
  }

  get ticksBegun(): number {
    return this.#writer.ticksBegun
  }

  nextTick(): ReturnType<ChainWriter['nextTick']> {
    return this.#writer.nextTick()
  }
}

export interface ChainParameters {
  readonly base: ChainBase
  readonly coinbase: Uint8Array
  readonly order: Order
  readonly mempoolSize: number
  /** Counts what is held for clients. */
  readonly held: HeldBytes
  /** True if any higher max fee replaces a waiting transaction, as on anvil. */
  readonly easyReplacement: boolean
  /** Maximum number of sealed blocks to keep; 0 keeps all. */
  readonly keepBlocks: number
  readonly pendingHash: PendingHash
  /** Receives errors that listeners throw, and those of the thread that recovers senders. */
  readonly onInternalError: (error: unknown) => void
}

/** Place of a transaction: the sealed block, the pending view or the mempool. */
export type TransactionLocation =
  | { readonly at: 'sealed'; readonly block: SealedBlock; readonly executed: ExecutedTransaction }
  | { readonly at: 'pending'; readonly view: PendingView; readonly executed: ExecutedTransaction }
  | { readonly at: 'mempool'; readonly transaction: ChainTransaction; readonly runnable: boolean }

/** Another node decides on this chain. */
function followerRefuses(followed: string): RefusedError {
  return new RefusedError(
    `this node follows ${followed}: send transactions and commands to that node`,
  )
}
