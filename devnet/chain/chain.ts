import type { Engine } from '../engine/engine.ts'
import { firstReads } from '../engine/firstReads.ts'
import { RefusedError } from '../primitives/errors.ts'
import type { Hex } from '../primitives/hex.ts'
import { Listeners } from '../primitives/listeners.ts'
import { lazy } from '../primitives/memo.ts'
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
import { type AdmissionTerms, checkAdmission, knownError, replacement } from './admission.ts'
import { BlockFiller, NodeStoppedError, type TickResult } from './blockFiller.ts'
import { BlockProducer, type ReserveRequest, type TickLimits } from './blockProducer.ts'
import { BlockRebuilder } from './blockRebuilder.ts'
import type { ChainBase } from './chainBase.ts'
import { type ChainCapture, captureChain } from './chainCapture.ts'
import { ChainState, type Publication } from './chainState.ts'
import type { ChainSettings, Dropped, NextBlockOverrides, Schedule, Undo } from './chainWork.ts'
import type { ForkOrigin } from './forkedBase.ts'
import type { History } from './history.ts'
import { Mempool, type Order } from './mempool.ts'
import type { PendingView } from './pendingView.ts'
import type { Reorg, ReorgRequest } from './reorg.ts'
import type { Slice } from './replica.ts'
import { ReservedRange } from './reservedRange.ts'
import { type Snapshot, Snapshots } from './snapshots.ts'
import { type Submission, Submissions } from './submissions.ts'
import { WarmUps } from './warmUps.ts'
import { WriteJob } from './writeJob.ts'
import { WriteQueue } from './writeQueue.ts'

/** Loaded when it is first needed, because most chains have no reorganisation. */
const loadReorg = lazy(() => import('./reorg.ts'))

/** Another node decides on this chain. */
class FollowerError extends RefusedError {
  override name = 'FollowerError'
  constructor(followed: string) {
    super(`this node follows ${followed}: send transactions and commands to that node`)
  }
}

/** A tick, executed transactions or not. */
interface TickEnd {
  /** In the order in which ticks began. */
  readonly number: number
  /** How many transactions it executed. */
  readonly executed: number
}

/** A tick that executed transactions. */
export interface TickReport extends TickResult {
  readonly view: PendingView
  /** ms. */
  readonly elapsed: number
  /** Whether a fault had the seal take them, so that they were never pre-confirmed. */
  readonly isAtSeal: boolean
}

export interface ChainParameters {
  readonly base: ChainBase
  readonly coinbase: Uint8Array
  readonly order: Order
  readonly mempoolSize: number
  /** Whether any higher max fee replaces a waiting transaction, as on anvil. */
  readonly easyReplacement: boolean
  /** Maximum number of sealed blocks to keep; 0 keeps all. */
  readonly keepBlocks: number
  /** Whether the pending block has the hash of its present header. Default: it has none */
  readonly hashesPending?: boolean
  /** Receives errors that listeners throw, and those of the thread that recovers senders. */
  readonly onInternalError: (error: unknown) => void
}

/** Where a transaction is: the sealed block, the pending view or the mempool. */
export type TransactionLocation =
  | { readonly at: 'sealed'; readonly block: SealedBlock; readonly executed: ExecutedTransaction }
  | { readonly at: 'pending'; readonly view: PendingView; readonly executed: ExecutedTransaction }
  | { readonly at: 'mempool'; readonly transaction: ChainTransaction; readonly runnable: boolean }

/**
 * A chain: its sealed blocks, pending block and mempool. Reads are synchronous; every change except
 * admission is a job on the write queue.
 */
export class Chain {
  readonly engine: Engine
  /** Receives what listeners throw. */
  readonly onInternalError: (error: unknown) => void
  readonly #state: ChainState
  readonly #producer: BlockProducer
  readonly #warmUps: WarmUps
  readonly #snapshots: Snapshots
  readonly #submissions: Submissions
  readonly #writes: WriteQueue
  readonly #arrivals = new SerialQueue()
  readonly #keepBlocks: number
  readonly #ticked: Listeners<[TickReport]>
  readonly #sealed: Listeners<[block: SealedBlock, elapsed: number]>
  readonly #abandoned: Listeners<[readonly SealedBlock[]]>
  readonly #admitted: Listeners<[ChainTransaction]>
  readonly #replaced: Listeners<[]>
  readonly #runnable: Listeners<[count: number]>
  readonly #undone: Listeners<[Undo]>
  readonly #written: Listeners<[]>
  readonly #job: WriteJob
  /** Name of the node that decides on this chain; `undefined`: this one. */
  #followed: string | undefined
  /** Loaded when it is first needed, because most chains follow no other. */
  readonly #loadReplica = lazy(async () => {
    const { Replica } = await import('./replica.ts')
    return new Replica(this.#state)
  })
  #ticksBegun = 0
  #tickDone = Promise.withResolvers<TickEnd>()

  constructor(engine: Engine, schedule: Schedule, parameters: ChainParameters) {
    const { base, coinbase, onInternalError } = parameters
    const mempool = new Mempool({
      capacity: parameters.mempoolSize,
      order: parameters.order,
      easyReplacement: parameters.easyReplacement,
      nonce: (sender) => this.pending.state.account(sender)?.nonce ?? 0n,
    })
    this.engine = engine
    this.onInternalError = onInternalError
    this.#keepBlocks = parameters.keepBlocks
    this.#ticked = new Listeners(onInternalError)
    this.#sealed = new Listeners(onInternalError)
    this.#abandoned = new Listeners(onInternalError)
    this.#admitted = new Listeners(onInternalError)
    this.#replaced = new Listeners(onInternalError)
    this.#runnable = new Listeners(onInternalError)
    this.#undone = new Listeners(onInternalError)
    this.#written = new Listeners(onInternalError)
    this.#state = new ChainState({
      ...base,
      engine,
      mempool,
      schedule,
      coinbase,
      hashesPending: parameters.hashesPending,
      onInternalError,
    })
    this.#warmUps = new WarmUps(this.#state, () => this.#runnable.emit(1))
    const filler = new BlockFiller(this.#state, this.#warmUps)
    this.#producer = new BlockProducer(this.#state, filler)
    const rebuilder = new BlockRebuilder(this.#state, filler, this.#warmUps)
    this.#snapshots = new Snapshots(this.#state)
    this.#writes = new WriteQueue(this.#state, this.#warmUps, () => {
      this.#producer.endPreview()
      this.#written.emit()
    })
    this.#job = new WriteJob(this.#state, this.#producer, rebuilder, this.#snapshots, {
      tick: (limits) => this.#writes.onceKnown(() => this.#tick(limits)),
      preview: () => this.#writes.onceKnown(() => this.#producer.preview()),
      omitTick: () => this.#endTick({ number: ++this.#ticksBegun, executed: 0 }),
      seal: (next, unseen) => this.#seal(next, unseen),
      reserve: (request) => this.#reserve(request),
      reorg: (request) => this.#reorg(request),
      abandoned: (blocks) => this.#abandon(blocks),
      follow: (slice, isWhole) => this.#follow(slice, isWhole),
      forget: async () => (await this.#loadReplica()).forget(),
      undone: (undo) => this.#undone.emit(undo),
      dryRunFirst: (replacement, run) => this.#writes.dryRunFirst(replacement, run),
    })
    this.#submissions = new Submissions({
      engine,
      rules: () => this.pending.environment.rules,
      admit: (decoded, terms) => this.admit(toChainTransaction(decoded), terms),
      prefetch: () => this.origin && this.prefetch,
      onInternalError,
    })
  }

  /** The chain's states. Loading a dump replaces the store. */
  get store(): VersionedStore {
    return this.#state.store
  }

  /** The block that the chain stands on; `undefined` if it stands on no other chain. */
  get origin(): ForkOrigin | undefined {
    return this.#state.origin
  }

  /** Number of the block that the node started from; no command can undo it, so it is final. */
  get firstHead(): number {
    return this.#state.firstHead
  }

  get head(): SealedBlock {
    return this.#state.history.head
  }

  get pending(): PendingView {
    return this.#state.pending
  }

  /** Place of the pending view among all that were published. */
  get published(): Pick<Publication, 'build' | 'index'> {
    return this.#state.place
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

  /** Hashes of the transactions that drops and rearrangements executed again, oldest first. */
  get reexecuted(): readonly Hex[] {
    return this.#state.work.reexecuted
  }

  /** Whether a command chose the timestamp, base fee or prevRandao of the pending block. */
  get hasChoice(): boolean {
    return Object.keys(this.#state.work.next).length > 0
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

  /** How often the chain was reset or replaced by a loaded one; either undoes all deployments. */
  get resets(): number {
    return this.#state.resets
  }

  /** The snapshots by their ids, oldest first. */
  get snapshots(): ReadonlyMap<number, Snapshot> {
    return this.#snapshots.all
  }

  /** Whether a listener of this chain is running, so that a read cannot wait for the chain. */
  get notifying(): boolean {
    const events = [
      ...[this.#ticked, this.#sealed, this.#abandoned, this.#undone, this.#written],
      ...[this.#admitted, this.#replaced, this.#runnable],
    ]
    const { droppings, published } = this.#state
    return [droppings, published, ...events].some(({ emitting }) => emitting)
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
    if (this.#followed !== undefined) throw new FollowerError(this.#followed)
    return this.#submissions.submit(submission, terms)
  }

  /**
   * Resolves when all earlier submissions are accepted or refused; `undefined` if none is pending.
   * Reads of the mempool wait for this, so that a client finds what it has just sent.
   */
  settled(): Promise<void> | undefined {
    return this.#submissions.settled()
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
    this.#admitted.emit(transaction)
    if (replaced !== undefined) {
      this.#state.drop({ hash: replaced.hash, ...replacement(transaction) })
      this.#replaced.emit()
    }
    if (freed > 0) this.#runnable.emit(freed)
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
   * @throws {NodeStoppedError}
   */
  fetching(hash: Hex): Promise<void> | undefined {
    const transaction = this.origin && this.mempool.get(hash)
    if (transaction === undefined) return undefined
    if (this.#state.closing.signal.aborted) throw new NodeStoppedError()
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
    this.#state.origin?.remote.close()
    await this.#submissions.close()
    await this.#writes.idle()
  }

  /**
   * Queues a job that changes the chain. All earlier submissions are accepted or refused before it
   * runs.
   */
  write<Result>(work: (job: WriteJob) => Result | Promise<Result>): Promise<Result> {
    if (this.#followed !== undefined) return Promise.reject(new FollowerError(this.#followed))
    const settled = this.#submissions.settled()
    const job = () => work(this.#job)
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
  writeNow<Result>(work: (job: WriteJob) => Result | Promise<Result>): Promise<Result> {
    return this.#writes.run(() => work(this.#job))
  }

  async #tick(limits?: TickLimits): Promise<readonly ExecutedTransaction[]> {
    const start = performance.now()
    const number = ++this.#ticksBegun
    const result = await this.#producer.tick(limits)
    this.#reportTick(result, start)
    const { executed } = result
    this.#endTick({ number, executed: executed.length })
    return executed
  }

  #endTick(end: TickEnd): void {
    const done = this.#tickDone
    this.#tickDone = Promise.withResolvers()
    done.resolve(end)
  }

  /** @param filled - what a fault had the seal take. Default: the pending block, as it is shown */
  #reportTick({ executed, executions }: TickResult, start: number, filled?: PendingView): void {
    if (executed.length === 0) return
    const elapsed = performance.now() - start
    const shown = { view: filled ?? this.pending, isAtSeal: filled !== undefined }
    this.#ticked.emit({ ...shown, executed, executions, elapsed })
  }

  async #seal(next?: NextBlockOverrides, unseen?: TickLimits): Promise<SealedBlock> {
    const start = performance.now()
    const { block, filled } = await this.#producer.seal(next, unseen)
    if (filled !== undefined) this.#reportTick(filled, start, filled.view)
    this.#announce(block, start)
    return block
  }

  async #follow(slice: Slice, isWhole: boolean): Promise<boolean> {
    const replica = await this.#loadReplica()
    const start = performance.now()
    return replica.follow(slice, isWhole, ({ sealed, abandoned, isReorg, ...result }) => {
      if (abandoned.length > 0) this.#takeBack(abandoned, isReorg)
      if (sealed !== undefined) this.#announce(sealed, start)
      this.#reportTick(result, start)
    })
  }

  /** Tells of blocks that the node which is followed has taken back. */
  #takeBack(abandoned: readonly (SealedBlock | ReservedRange)[], isReorg: boolean): void {
    if (isReorg) this.#abandon(abandoned)
    const replaced = isReorg ? abandoned.reduce((sum, entry) => sum + countOf(entry), 0) : 0
    const command = isReorg ? 'reorg' : 'revert'
    this.#undone.emit({ command, dropped: 0, reexecuted: 0, replaced })
  }

  #abandon(abandoned: readonly (SealedBlock | ReservedRange)[]): void {
    const blocks = abandoned.flatMap((entry) => (entry instanceof ReservedRange ? [] : entry))
    this.#abandoned.emit(blocks)
  }

  async #reorg(request: ReorgRequest): Promise<Reorg> {
    const { newReplacement, reorganise } = await loadReorg()
    const start = performance.now()
    const run = () =>
      reorganise(request, {
        state: this.#state,
        producer: this.#producer,
        snapshots: this.#snapshots,
        seal: (next) => this.#seal(next),
        reserve: (reserved) => this.#reserve(reserved),
        onAbandon: (abandoned) => this.#abandon(abandoned),
        onTick: (result) => this.#reportTick(result, start),
      })
    const replacement = () => newReplacement(request, this.#state, this.#snapshots)
    const reorg = await (request.fill === undefined
      ? run()
      : this.#writes.dryRunFirst(replacement, run))
    const { length: dropped } = reorg.dropped
    const { depth: replaced } = request
    if (replaced > 0) this.#undone.emit({ command: 'reorg', dropped, reexecuted: 0, replaced })
    return reorg
  }

  #reserve(request: ReserveRequest): number {
    const start = performance.now()
    const range = this.#producer.reserve(request)
    if (range === undefined) return 0
    this.#announce(range.newest, start)
    return countOf(range)
  }

  #announce(block: SealedBlock, start: number): void {
    if (this.#keepBlocks > 0) this.#forgetOldBlocks(block.number - this.#keepBlocks + 1)
    this.#sealed.emit(block, performance.now() - start)
  }

  #forgetOldBlocks(number: number): void {
    if (!this.history.dropBelow(number)) return
    this.#snapshots.dropBelow(number)
    const oldest = this.history.byNumber(number)
    // Keeps the state before cheats, too: a dump needs the one that the block's root commits to.
    if (oldest === undefined || oldest.sealedVersion === LOST_VERSION) return
    this.store.forgetBefore(oldest.sealedVersion)
  }

  capture(): ChainCapture {
    return captureChain(this.#state)
  }

  /** How many ticks have begun, the one at work included. */
  get ticksBegun(): number {
    return this.#ticksBegun
  }

  /** Resolves when the tick at work, or else the next one, is done. */
  nextTick(): Promise<TickEnd> {
    return this.#tickDone.promise
  }

  /** Calls `listener` with each pending view: after each tick, cheat, seal and undo. */
  onPublish(listener: (publication: Publication) => void): () => void {
    return this.#state.published.add(listener)
  }

  /** Calls `listener` after each tick that executed transactions; the result removes it again. */
  onTick(listener: (report: TickReport) => void): () => void {
    return this.#ticked.add(listener)
  }

  /**
   * @param listener - called with each sealed block, and the ms that sealing took; of a range of
   *   reserved blocks only with the last
   */
  onSeal(listener: (block: SealedBlock, elapsed: number) => void): () => void {
    return this.#sealed.add(listener)
  }

  /**
   * Calls `listener` with the blocks that a reorganisation takes back, oldest first, before it
   * seals others; without reserved blocks, which hold nothing.
   */
  onAbandon(listener: (blocks: readonly SealedBlock[]) => void): () => void {
    return this.#abandoned.add(listener)
  }

  /**
   * Calls `listener` after each drop, rearrangement, revert, rollback, reorganisation, reset and
   * load.
   */
  onUndo(listener: (undo: Undo) => void): () => void {
    return this.#undone.add(listener)
  }

  /** Calls `listener` with each transaction that is dropped, whatever the reason. */
  onDrop(listener: (dropped: Dropped) => void): () => void {
    return this.#state.droppings.add(listener)
  }

  onWrite(listener: () => void): () => void {
    return this.#written.add(listener)
  }

  /** Calls `listener` with the number of transactions that became runnable when one arrived. */
  onRunnable(listener: (count: number) => void): () => void {
    return this.#runnable.add(listener)
  }

  onAdmit(listener: (transaction: ChainTransaction) => void): () => void {
    return this.#admitted.add(listener)
  }

  /** Calls `listener` after a transaction has replaced a waiting one. */
  onReplace(listener: () => void): () => void {
    return this.#replaced.add(listener)
  }
}

function countOf(entry: SealedBlock | ReservedRange): number {
  return entry instanceof ReservedRange ? entry.last - entry.first + 1 : 1
}
