import type { Engine } from '../engine/engine.ts'
import { type ChainCapture, captureChain } from '../persistence/dump/capture.ts'
import type { Hex } from '../primitives/hex.ts'
import { Listeners } from '../primitives/listeners.ts'
import { SerialQueue } from '../primitives/serialQueue.ts'
import type { SealedBlock } from '../protocol/block.ts'
import type { ExecutedTransaction } from '../protocol/receipt.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import { LOST_VERSION, type VersionedStore } from '../state/store/versionedStore.ts'
import type { StateTrie } from '../state/trie/stateTrie.ts'
import { checkAdmission, toChainTransaction } from './admission.ts'
import type { TickResult } from './blockBuilder.ts'
import { BlockProducer, NodeStoppedError, type TickLimits } from './blockProducer.ts'
import type { ChainBase } from './chainBase.ts'
import {
  type ChainSettings,
  ChainState,
  type Dropped,
  defaultSettings,
  type NextBlockOverrides,
  type Schedule,
  stateTrie,
} from './chainState.ts'
import type { History } from './history.ts'
import { knownError, Mempool, type Order } from './mempool.ts'
import { openPendingView } from './openPendingBlock.ts'
import type { PendingView } from './pendingView.ts'
import { Snapshots } from './snapshots.ts'
import { type AdmissionTerms, type Submission, Submissions } from './submissions.ts'
import { type WriteJob, writeJobCommands } from './writeJob.ts'

/** What a tick took, for those who watch. */
export interface TickReport extends TickResult {
  readonly view: PendingView
  /** ms. */
  readonly elapsed: number
}

/** Those who listen to a chain. */
export class ChainListeners {
  readonly ticked: Listeners<[TickReport]>
  readonly sealed: Listeners<[block: SealedBlock, elapsed: number]>
  readonly admitted: Listeners<[ChainTransaction]>
  readonly freed: Listeners<[count: number]>
  readonly turned: Listeners<[]>

  /** @param onInternalError - hears of errors in them */
  constructor(onInternalError: (error: unknown) => void) {
    this.ticked = new Listeners(onInternalError)
    this.sealed = new Listeners(onInternalError)
    this.admitted = new Listeners(onInternalError)
    this.freed = new Listeners(onInternalError)
    this.turned = new Listeners(onInternalError)
  }
}

export interface ChainParameters {
  readonly base: ChainBase
  readonly coinbase: Uint8Array
  readonly order: Order
  readonly mempoolSize: number
  /** Blocks to keep; 0 keeps all. */
  readonly keepBlocks: number
  /** Hears of errors in those who listen. */
  readonly onInternalError: (error: unknown) => void
}

/** Where a transaction is. */
export type TransactionLocation =
  | { readonly at: 'sealed'; readonly block: SealedBlock; readonly executed: ExecutedTransaction }
  | { readonly at: 'pending'; readonly view: PendingView; readonly executed: ExecutedTransaction }
  | { readonly at: 'mempool'; readonly transaction: ChainTransaction; readonly runnable: boolean }

/** The owner of blocks, pending block and mempool. Reads are synchronous; every change goes through one queue. */
export class Chain {
  readonly engine: Engine
  readonly #state: ChainState
  readonly #producer: BlockProducer
  readonly #snapshots: Snapshots
  readonly #submissions: Submissions
  readonly #writer = new SerialQueue()
  readonly #keepBlocks: number
  readonly #listeners: ChainListeners
  readonly #job: WriteJob
  #tickDone = Promise.withResolvers<void>()

  constructor(engine: Engine, schedule: Schedule, parameters: ChainParameters) {
    const { store, history } = parameters.base
    const settings = defaultSettings(
      parameters.coinbase,
      history.head.header.gasLimit,
      engine.chainId,
    )
    const mempool = new Mempool({
      capacity: parameters.mempoolSize,
      order: parameters.order,
      nonce: (sender) => this.pending.state.account(sender)?.nonce ?? 0n,
    })
    const opening = { engine, store, history, schedule, settings, next: {}, blockDiffs: [] }
    const pending = openPendingView(opening, 0)
    this.engine = engine
    this.#keepBlocks = parameters.keepBlocks
    this.#listeners = new ChainListeners(parameters.onInternalError)
    this.#state = new ChainState({ engine, store, history, mempool, schedule, settings, pending })
    this.#state.blockDiffs = opening.blockDiffs
    this.#producer = new BlockProducer(this.#state)
    this.#snapshots = new Snapshots(this.#state)
    this.#job = {
      tick: (limits) => this.#tick(limits),
      seal: (next) => this.#seal(next),
      ...writeJobCommands(this.#state, this.#producer, this.#snapshots),
    }
    this.#submissions = new Submissions({
      engine,
      rules: () => this.pending.environment.rules,
      admit: (decoded, terms) => this.admit(toChainTransaction(decoded), terms),
      onInternalError: parameters.onInternalError,
    })
  }

  /** The states of the chain; another one after a dump was loaded. */
  get store(): VersionedStore {
    return this.#state.store
  }

  /** Number of the block that the node went on from: never undone, and so final. */
  get firstHead(): number {
    return this.#state.firstHead
  }

  /** The newest sealed block. */
  get head(): SealedBlock {
    return this.#state.history.head
  }

  /** What readers of `"pending"` see. */
  get pending(): PendingView {
    return this.#state.pending
  }

  get mempool(): Mempool {
    return this.#state.mempool
  }

  get history(): History {
    return this.#state.history
  }

  get dropped(): readonly Dropped[] {
    return this.#state.dropped
  }

  get settings(): Readonly<ChainSettings> {
    return this.#state.settings
  }

  get blockHashes(): ChainState['blockHashes'] {
    return this.#state.blockHashes
  }

  /** The tries of the state after a block that is kept, or after the pre-confirmed transactions; see {@link stateTrie}. */
  stateTrie(block: SealedBlock | PendingView): StateTrie {
    return stateTrie(block, this.#state)
  }

  /** How often the chain went back to its start: what was deployed before is not there. */
  get resets(): number {
    return this.#state.resets
  }

  /** The newest sealed block of each snapshot, by id. */
  get snapshots(): ReadonlyMap<number, SealedBlock> {
    return this.#snapshots.heads()
  }

  /** Whether a change runs or waits. */
  get busy(): boolean {
    return this.#writer.busy
  }

  /** Sealed first: a look-up at the moment of sealing must not find a transaction nowhere. */
  findTransaction(hash: Hex): TransactionLocation | undefined {
    const sealed = this.#state.history.transaction(hash)
    if (sealed !== undefined) return { at: 'sealed', ...sealed }
    const executed = this.#state.pendingIndex.get(hash)
    if (executed !== undefined) return { at: 'pending', view: this.pending, executed }
    const transaction = this.mempool.get(hash)
    if (transaction === undefined) return undefined
    return { at: 'mempool', transaction, runnable: this.mempool.isRunnable(hash) }
  }

  /**
   * Accepts a signed transaction into the mempool, in the order of the calls.
   *
   * @param submission - EIP-2718 bytes, or what makes a transaction when all that was submitted before is accepted or
   *   refused
   * @throws {RefusedError} {@link UndecodableTransactionError}, or what `terms` make
   */
  submit(
    submission: Submission,
    terms?: AdmissionTerms,
  ): ChainTransaction | Promise<ChainTransaction> {
    return this.#submissions.submit(submission, terms)
  }

  /**
   * Resolves when all that was submitted before is accepted or refused; `undefined` where that is so already. Those who
   * look into the mempool wait for it, or a client would not find what it sent just before.
   */
  settled(): Promise<void> | undefined {
    return this.#submissions.settled()
  }

  /** Accepts a transaction that needs no look at its signature any more. @throws {RefusedError} or what `terms` make */
  admit(transaction: ChainTransaction, terms: AdmissionTerms = {}): ChainTransaction {
    const { environment, state } = this.pending
    const place = this.findTransaction(transaction.hash)
    if (place !== undefined) throw knownError(transaction, place.at, state)
    checkAdmission(transaction, state, environment, this.settings.minGasPrice)
    if (terms.refuseGap !== undefined) {
      const next = this.mempool.nextNonce(transaction.senderKey)
      if (transaction.nonce > next) throw terms.refuseGap(next, transaction.nonce)
    }
    const freed = this.mempool.add(transaction)
    this.#listeners.admitted.emit(transaction)
    if (freed > 0) this.#listeners.freed.emit(freed)
    return transaction
  }

  /** Ends all work: what was submitted is accepted or refused, and what runs is stopped, before this returns. */
  async close(): Promise<void> {
    this.#state.closing.abort()
    await this.#submissions.close()
    await this.#writer.idle()
  }

  /**
   * Takes one turn of the writer's queue; `work` may use the commands that {@link WriteJob} has. What was submitted before is
   * accepted or refused by then.
   */
  write<Result>(work: (job: WriteJob) => Result | Promise<Result>): Promise<Result> {
    const settled = this.#submissions.settled()
    if (settled === undefined) return this.writeNow(work)
    return this.#writer.run(() => settled.then(() => this.#take(work)))
  }

  /** Like {@link write}, but does not wait for submissions: a beat of the wall clock comes on time. */
  writeNow<Result>(work: (job: WriteJob) => Result | Promise<Result>): Promise<Result> {
    return this.#writer.run(() => this.#take(work))
  }

  async #take<Result>(work: (job: WriteJob) => Result | Promise<Result>): Promise<Result> {
    if (this.#state.closing.signal.aborted) throw new NodeStoppedError()
    try {
      return await work(this.#job)
    } finally {
      this.#listeners.turned.emit()
    }
  }

  async #tick(limits?: TickLimits): Promise<readonly ExecutedTransaction[]> {
    const start = performance.now()
    const { executed, executions } = await this.#producer.tick(limits)
    if (executed.length > 0) {
      const elapsed = performance.now() - start
      this.#listeners.ticked.emit({ view: this.pending, executed, executions, elapsed })
    }
    const done = this.#tickDone
    this.#tickDone = Promise.withResolvers()
    done.resolve()
    return executed
  }

  async #seal(next?: NextBlockOverrides): Promise<SealedBlock> {
    const start = performance.now()
    const block = await this.#producer.seal(next)
    if (this.#keepBlocks > 0) this.#forgetOldBlocks(block.number - this.#keepBlocks + 1)
    this.#listeners.sealed.emit(block, performance.now() - start)
    return block
  }

  #forgetOldBlocks(number: number): void {
    if (this.history.dropBelow(number).length === 0) return
    this.#snapshots.dropBelow(number)
    const oldest = this.history.byNumber(number)
    // Not its version with the cheats: the state that its root stands for can still be saved.
    if (oldest === undefined || oldest.sealedVersion === LOST_VERSION) return
    this.store.forgetBefore(oldest.sealedVersion)
  }

  /** Takes hold of the chain as it is, to be written down; within a job, or when the chain is closed. */
  capture(): ChainCapture {
    return captureChain(this.#state)
  }

  /** Resolves when the next tick is done. */
  nextTick(): Promise<void> {
    return this.#tickDone.promise
  }

  /** Calls `listener` after each tick that took transactions; answers the function that ends it. */
  onTick(listener: (report: TickReport) => void): () => void {
    return this.#listeners.ticked.add(listener)
  }

  /** Calls `listener` with each sealed block and the ms its sealing took. */
  onSeal(listener: (block: SealedBlock, elapsed: number) => void): () => void {
    return this.#listeners.sealed.add(listener)
  }

  /** Calls `listener` after each turn of the writer's queue. */
  onWrite(listener: () => void): () => void {
    return this.#listeners.turned.add(listener)
  }

  /** Calls `listener` with how many transactions can run because one was accepted: several where it fills a gap. */
  onRunnable(listener: (count: number) => void): () => void {
    return this.#listeners.freed.add(listener)
  }

  /** Calls `listener` with each transaction that the mempool accepts. */
  onAdmit(listener: (transaction: ChainTransaction) => void): () => void {
    return this.#listeners.admitted.add(listener)
  }
}
