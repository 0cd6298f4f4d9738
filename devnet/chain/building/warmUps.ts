import { ValueMissingError } from '../../engine/scheduler.ts'
import type { ChainTransaction } from '../../protocol/transaction.ts'
import { EMPTY_CODE_HASH } from '../../state/codes.ts'
import { addressKey } from '../../state/keys.ts'
import { MissError } from '../../state/remote/remoteLayer.ts'
import { UpstreamError } from '../../state/remote/remoteSource.ts'
import type { ChainState } from '../chainState.ts'

/** Warm-ups that run at once: each takes a machine, but most of them only wait. */
const SIDE_BY_SIDE = 32

/** ms of execution after which a warm-up ends: by then it has asked for most of what is read. */
const TIMEOUT = 100

/** After as many failures of the upstream, a transaction is dropped. */
const MOST_FAILURES = 3

/** Values that the upstream still owes to a transaction. */
interface Entry {
  /** Its warm-up, which runs or has still to begin. */
  warming: Promise<void> | undefined
  /** True if a tick has left it in the mempool, so that somebody waits to hear of its values. */
  isPassedBy: boolean
  failures: number
  error: UpstreamError | undefined
}

/** A warm-up that has still to begin. */
interface Task {
  readonly transaction: ChainTransaction
  readonly entry: Entry
  readonly done: () => void
}

interface WarmUp {
  readonly hasWaited: boolean
  /** Reason why values could not be had; `undefined` if they could. */
  readonly error: UpstreamError | undefined
}

/**
 * Lets transactions fetch what they read on a forked chain before their tick, by a run on a
 * throw-away overlay over the pending state. So no tick of the clock waits for the upstream: a
 * transaction that misses something waits in the mempool, with the later ones of its sender.
 */
export class WarmUps {
  readonly #state: ChainState
  readonly #entries = new WeakMap<ChainTransaction, Entry>()
  readonly #queue: Task[] = []
  #running = 0
  /** Warm-ups that run, and those that have still to begin. */
  readonly #warming = new Set<Promise<void>>()

  constructor(state: ChainState) {
    this.#state = state
  }

  /** To be called with each accepted transaction: runs it if it may miss something. */
  start(transaction: ChainTransaction): void {
    if (this.#mayMiss(transaction)) this.#enqueue(transaction)
  }

  #enqueue(transaction: ChainTransaction): void {
    const entry = this.#entryOf(transaction)
    if (entry.warming !== undefined) return
    const { promise, resolve } = Promise.withResolvers<void>()
    entry.warming = promise
    this.#warming.add(promise)
    const done = () => {
      this.#warming.delete(promise)
      resolve()
    }
    this.#queue.push({ transaction, entry, done })
    this.#next()
  }

  /**
   * Fetches what transactions read that are about to run on the pending block, but are not in the
   * mempool. Failures of the upstream show when they run.
   */
  async ahead(transactions: readonly ChainTransaction[]): Promise<void> {
    const left = transactions.values()
    const work = async () => {
      for (const transaction of left) {
        if (this.#mayMiss(transaction)) await this.#run(transaction)
      }
    }
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work))
  }

  /** Resolves when all that were started are done; `undefined` if there are none. */
  settled(): Promise<void> | undefined {
    if (this.#warming.size === 0) return undefined
    return Promise.all(this.#warming).then(() => undefined)
  }

  /** Resolves when the warm-up of a transaction is done; `undefined` if there is none. */
  of(transaction: ChainTransaction): Promise<void> | undefined {
    return this.#entries.get(transaction)?.warming
  }

  /**
   * True if a tick has to pass a transaction by.
   *
   * @param passesBy - whether the tick takes only those whose values have come
   */
  holds(transaction: ChainTransaction, passesBy: boolean): boolean {
    const entry = this.#entries.get(transaction)
    if (entry === undefined) return false
    if (entry.failures > 0) this.#enqueue(transaction)
    const isHeld = entry.failures > 0 || (passesBy && entry.warming !== undefined)
    entry.isPassedBy ||= isHeld
    return isHeld
  }

  /** Resolves when a value that a transaction was given up for has come, or cannot be had. */
  async awaited({ transaction, ready }: AwaitedError): Promise<void> {
    try {
      await ready
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      this.missed(transaction, error)
    }
  }

  /** Reason why a transaction is to be dropped: the upstream will not give what it reads. */
  verdict(transaction: ChainTransaction): string | undefined {
    const { error, failures = 0 } = this.#entries.get(transaction) ?? {}
    if (error === undefined || (error.transient && failures < MOST_FAILURES)) return undefined
    return `transaction ${transaction.hash} reads what the upstream does not give: ${error.message}`
  }

  /** To be called if a tick could not run a transaction, because a value was missing. */
  missed(transaction: ChainTransaction, error: UpstreamError | ValueMissingError): void {
    const entry = this.#entryOf(transaction)
    entry.isPassedBy = true
    if (error instanceof ValueMissingError) this.#enqueue(transaction)
    // A warm-up that runs at the same time reports the same failure.
    else if (entry.warming === undefined) this.#fail(entry, error)
  }

  /** A transfer between known accounts misses nothing. */
  #mayMiss({ to, accessList, type }: ChainTransaction): boolean {
    const { environment, state } = this.#state.pending
    if (state.lazyReads === undefined) return false
    if (to === undefined || type === 4 || accessList.length > 0) return true
    try {
      const recipient = state.account(addressKey(to))
      state.account(addressKey(environment.coinbase))
      return recipient !== null && recipient.codeHash !== EMPTY_CODE_HASH
    } catch (error) {
      if (error instanceof MissError) return true
      throw error
    }
  }

  #entryOf(transaction: ChainTransaction): Entry {
    let entry = this.#entries.get(transaction)
    if (entry === undefined) {
      entry = { warming: undefined, isPassedBy: false, failures: 0, error: undefined }
      this.#entries.set(transaction, entry)
    }
    return entry
  }

  #next(): void {
    while (this.#running < SIDE_BY_SIDE) {
      const task = this.#queue.shift()
      if (task === undefined) return
      this.#running++
      void this.#warm(task).finally(() => {
        this.#running--
        task.done()
        this.#next()
      })
    }
  }

  async #warm({ transaction, entry }: Task): Promise<void> {
    const { closing, events, mempool } = this.#state
    const isGone = () => closing.signal.aborted || mempool.get(transaction.hash) !== transaction
    const { hasWaited, error } = isGone() ? NOTHING_DONE : await this.#run(transaction)
    const { isPassedBy } = entry
    entry.warming = undefined
    entry.isPassedBy = false
    if (error === undefined) this.#entries.delete(transaction)
    else this.#fail(entry, error)
    if (isGone() || !(hasWaited || isPassedBy)) return
    mempool.touch()
    // Emitted before the warm-up resolves, so that this starts its work before later commands.
    if (mempool.isRunnable(transaction.hash)) events.runnable.emit(1)
  }

  async #run(transaction: ChainTransaction): Promise<WarmUp> {
    const { engine, pending, blockHashes, closing } = this.#state
    const { environment, state } = pending
    state.retain()
    let hasWaited = false
    let failure: UpstreamError | undefined
    try {
      const executor =
        engine.loaded(environment.rules) ?? (await engine.executor(environment.rules))
      const machine = await executor.acquire(state, blockHashes)
      machine.scheduler.begin({ signal: closing.signal, timeout: TIMEOUT })
      if (transaction.impersonated) machine.overlay.presentAsEoaOnce(transaction.senderKey)
      try {
        await executor.run(machine, transaction, environment, { skipNonce: true })
        executor.release(machine)
      } finally {
        hasWaited = machine.scheduler.hasWaited
        machine.scheduler.begin()
      }
    } catch (error) {
      // The tick reports other errors: it runs the transaction on the state that it then finds.
      if (error instanceof UpstreamError) failure = error
    } finally {
      state.release()
    }
    return { hasWaited, error: failure }
  }

  #fail(entry: Entry, error: UpstreamError): void {
    entry.failures++
    entry.error = error
  }
}

const NOTHING_DONE: WarmUp = { hasWaited: false, error: undefined }

/**
 * A transaction that is about to run reads what the upstream of a forked chain has not given yet.
 * To be tried again once the value has come; never answered to a client.
 */
export class AwaitedError extends Error {
  override name = 'AwaitedError'
  readonly transaction: ChainTransaction
  /** Ends when the value is known, or cannot be had. */
  readonly ready: Promise<unknown>

  constructor(transaction: ChainTransaction, ready: Promise<unknown>) {
    super(`Transaction ${transaction.hash} reads a value that is being fetched`)
    this.transaction = transaction
    this.ready = ready
  }
}
