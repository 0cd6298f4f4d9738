import { ValueMissingError } from '../engine/scheduler.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import { EMPTY_CODE_HASH } from '../state/codes.ts'
import { addressKey } from '../state/keys.ts'
import { MissError } from '../state/remote/remoteLayer.ts'
import { UpstreamError } from '../state/remote/remoteSource.ts'
import type { ChainState } from './chainState.ts'

/** Warm-ups that run at once: each takes a machine, but most of them only wait. */
const SIDE_BY_SIDE = 32

/** ms of execution after which a warm-up ends: by then it has asked for most of what is read. */
const TIMEOUT = 100

/** After as many failures of the upstream, a transaction is dropped. */
const MOST_FAILURES = 3

/** What the upstream still owes to a transaction. */
interface Entry {
  /** Whether a warm-up of it runs. */
  isRunning: boolean
  failures: number
  error: UpstreamError | undefined
}

function newEntry(): Entry {
  return { isRunning: false, failures: 0, error: undefined }
}

/**
 * Lets transactions fetch what they read on a forked chain before their tick, by a run on a
 * throw-away overlay over the pending state. So no tick of the clock waits for the upstream: a
 * transaction that misses something waits in the mempool, with the later ones of its sender.
 */
export class WarmUps {
  readonly #state: ChainState
  readonly #onReady: (transaction: ChainTransaction) => void
  readonly #entries = new WeakMap<ChainTransaction, Entry>()
  readonly #queue: ChainTransaction[] = []
  readonly #running = new Set<Promise<void>>()

  /** @param onReady - hears of each transaction whose values have been waited for */
  constructor(state: ChainState, onReady: (transaction: ChainTransaction) => void) {
    this.#state = state
    this.#onReady = onReady
  }

  /** To be called with each accepted transaction: runs it if it may miss something. */
  start(transaction: ChainTransaction): void {
    if (this.#mayMiss(transaction)) this.#enqueue(transaction)
  }

  #enqueue(transaction: ChainTransaction): void {
    this.#queue.push(transaction)
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
        if (this.#mayMiss(transaction)) await this.#run(transaction, newEntry())
      }
    }
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work))
  }

  /** Resolves when those that have begun are done; `undefined` if there are none. */
  settled(): Promise<void> | undefined {
    if (this.#running.size === 0) return undefined
    return Promise.all(this.#running).then(() => undefined)
  }

  /**
   * Whether a tick has to pass a transaction by.
   *
   * @param waits - whether the tick waits for the upstream, as one by command does
   */
  holds(transaction: ChainTransaction, waits: boolean): boolean {
    const entry = this.#entries.get(transaction)
    if (entry === undefined) return false
    if (entry.isRunning) return !waits || entry.failures > 0
    if (entry.failures > 0) this.#enqueue(transaction)
    return entry.failures > 0
  }

  /** Why a transaction is to be dropped: the upstream will not give what it reads. */
  verdict(transaction: ChainTransaction): string | undefined {
    const { error, failures = 0 } = this.#entries.get(transaction) ?? {}
    if (error === undefined || (error.transient && failures < MOST_FAILURES)) return undefined
    return `transaction ${transaction.hash} reads what the upstream does not give: ${error.message}`
  }

  /** To be called if a tick could not run a transaction, because a value was missing. */
  missed(transaction: ChainTransaction, error: UpstreamError | ValueMissingError): void {
    const entry = this.#entryOf(transaction)
    if (error instanceof ValueMissingError) this.#enqueue(transaction)
    // A warm-up beside the tick hears of the same failure.
    else if (!entry.isRunning) this.#fail(entry, error)
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
      entry = newEntry()
      this.#entries.set(transaction, entry)
    }
    return entry
  }

  #next(): void {
    while (this.#running.size < SIDE_BY_SIDE) {
      const transaction = this.#queue.shift()
      if (transaction === undefined) return
      const { closing, mempool } = this.#state
      if (closing.signal.aborted || mempool.get(transaction.hash) !== transaction) continue
      const entry = this.#entryOf(transaction)
      if (entry.isRunning) continue
      entry.isRunning = true
      const run = this.#run(transaction, entry).finally(() => {
        this.#running.delete(run)
        entry.isRunning = false
        this.#next()
      })
      this.#running.add(run)
    }
  }

  async #run(transaction: ChainTransaction, entry: Entry): Promise<void> {
    const { engine, pending, blockHashes, closing, mempool } = this.#state
    const { environment, state } = pending
    state.retain()
    let hasWaited = false
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
        hasWaited = machine.scheduler.waited > 0
        machine.scheduler.begin()
      }
      this.#entries.delete(transaction)
    } catch (error) {
      // Of other errors the tick tells, which runs the transaction on the state that it then finds.
      if (error instanceof UpstreamError) this.#fail(entry, error)
      else this.#entries.delete(transaction)
    } finally {
      state.release()
    }
    if (!hasWaited || closing.signal.aborted) return
    mempool.touch()
    if (mempool.isRunnable(transaction.hash)) this.#onReady(transaction)
  }

  #fail(entry: Entry, error: UpstreamError): void {
    entry.failures++
    entry.error = error
  }
}
