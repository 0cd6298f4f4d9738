import type { Engine } from '../engine/engine.ts'
import type { Executor } from '../engine/executor.ts'
import { Recovery } from '../engine/workers/recovery.ts'
import type { ForkRules } from '../protocol/forks.ts'
import type {
  ChainTransaction,
  DecodedTransaction,
  TransactionFields,
} from '../protocol/transaction.ts'
import { MissError } from '../state/remote/remoteLayer.ts'
import type { AdmissionTerms } from './admission.ts'
import { nodeStopped } from './building/blockFiller.ts'

/** A transaction made by this process, whose sender is known. */
export interface OwnTransaction {
  /** EIP-2718 bytes. */
  readonly raw: Uint8Array
  /** 20 bytes. */
  readonly sender: Uint8Array
  /** True if the sender did not sign it; the sender may then have code. Default: false. */
  readonly impersonated?: boolean
}

/** EIP-2718 bytes, or a function that makes a transaction, called after earlier ones settle. */
export type Submission = Uint8Array | (() => OwnTransaction)

type Admit = (decoded: DecodedTransaction, terms: AdmissionTerms) => ChainTransaction

/** A queued submission, which keeps its place until its sender is recovered. */
interface Waiting {
  ready: boolean
  /** `undefined`: `run` recovers it on the main thread, unless it is known already. */
  sender: Uint8Array | undefined
  /** Must not throw. Returns the miss for which it has to run again. */
  readonly run: (sender: Uint8Array | undefined) => MissError | undefined
  readonly fail: (error: unknown) => void
}

/**
 * Submissions in one turn of the event loop after which the node counts as under load. To hand over
 * a single one takes the two threads longer together than to recover it. A few connections that
 * send at once keep the main thread busy, and get a third more through with both.
 */
const BURST = 3

/** ms for which the node counts as under load after such a turn. */
const LOAD_LASTS = 2

/**
 * Number of submissions under load after which the recovery worker is started: a test that sends
 * ten at once would not win back what its start costs.
 */
const WORTH_A_WORKER = 64

/**
 * Signed transactions on their way into the mempool, in order of arrival. A few are accepted at
 * once; in a burst, senders are recovered on another thread. On a forked chain, a transaction keeps
 * its place until its sender's account is known.
 */
export class Submissions {
  readonly #engine: Engine
  readonly #rules: () => ForkRules
  readonly #recovery: Recovery
  /** True if the worker is another chain's. */
  readonly #isBranch: boolean
  readonly #admit: Admit
  readonly #prefetch: () => ((fields: TransactionFields) => void) | undefined
  readonly #queue: Waiting[] = []
  /** Resolves when no submission waits for an executor to load; `undefined` if none does. */
  #loading: Promise<void> | undefined
  /** Number of submissions in this turn of the event loop. */
  #inTurn = 0
  #underLoad = 0
  #loadEnds = 0

  constructor(parameters: {
    engine: Engine
    rules: () => ForkRules
    /** Throws a {@link MissError} if the sender's account is not known. */
    admit: Admit
    /**
     * Returns what begins to load the accounts of a transaction; `undefined` on a chain that knows
     * all accounts.
     */
    prefetch?: () => ((fields: TransactionFields) => void) | undefined
    onInternalError: (error: unknown) => void
    recovery?: Recovery | undefined
    /** Of the chain that this one branches off, whose worker both use. Default: none */
    parent?: Submissions | undefined
  }) {
    const { parent } = parameters
    this.#isBranch = parent !== undefined
    this.#recovery =
      parent === undefined
        ? (parameters.recovery ?? new Recovery(parameters.onInternalError))
        : parent.#recovery
    this.#engine = parameters.engine
    this.#rules = parameters.rules
    this.#admit = parameters.admit
    this.#prefetch = parameters.prefetch ?? (() => undefined)
  }

  /** @throws {DevnetError} if the transaction is undecodable or refused; may reject instead */
  submit(
    submission: Submission,
    terms: AdmissionTerms = {},
  ): ChainTransaction | Promise<ChainTransaction> {
    const rules = this.#rules()
    const executor = this.#engine.loaded(rules)
    if (executor !== undefined && this.#loading === undefined) {
      return this.#accept(executor, submission, terms)
    }
    // Waits for the one before, even if that loads the executor of other rules.
    const loading = Promise.all([this.#engine.executor(rules), this.#loading])
    const accepted = loading.then(([loaded]) => this.#accept(loaded, submission, terms))
    const end = () => {
      if (this.#loading === ended) this.#loading = undefined
    }
    const ended = loading.then(end, end)
    this.#loading = ended
    return accepted
  }

  /** Resolves when all earlier submissions are settled; `undefined` if they already are. */
  settled(): Promise<void> | undefined {
    if (this.#loading !== undefined) return this.#loading.then(() => this.settled())
    if (this.#queue.length === 0) return undefined
    return new Promise((resolve, reject) => {
      const run = () => void resolve()
      this.#queue.push({ ready: true, sender: undefined, run, fail: reject })
    })
  }

  /** Settles waiting submissions at once, and ends the worker; later submissions do without it. */
  async close(): Promise<void> {
    if (!this.#isBranch) return await this.#recovery.close()
    for (const { fail } of this.#queue.splice(0)) fail(nodeStopped())
  }

  #accept(
    executor: Executor,
    submission: Submission,
    terms: AdmissionTerms,
  ): ChainTransaction | Promise<ChainTransaction> {
    const isUnderLoad = this.#countIn()
    if (typeof submission === 'function') {
      // No sender has to be recovered, but the submission must not overtake earlier ones.
      return this.#inOrder(() => {
        const { raw, sender, impersonated } = submission()
        const decoded = executor.identify(executor.decode(raw), sender)
        return this.#admit({ ...decoded, impersonated }, terms)
      })
    }
    const signed = executor.decodeSent(submission)
    const accept = (sender?: Uint8Array) => this.#admit(executor.identify(signed, sender), terms)
    const isAlone = !isUnderLoad && this.#queue.length === 0
    if (isAlone || !this.#hasWorker()) {
      const prefetch = this.#queue.length === 0 ? undefined : this.#prefetch()
      if (prefetch === undefined) return this.#inOrder(accept)
      const { fields } = executor.identify(signed)
      prefetch(fields)
      return this.#inOrder(() => accept(fields.from))
    }
    const { promise, waiting } = this.#wait(accept)
    this.#recovery.recover(signed.message, (sender) => {
      if (sender !== undefined) this.#prefetch()?.({ ...signed.fields, from: sender })
      waiting.sender = sender
      waiting.ready = true
      this.#drain()
    })
    return promise
  }

  /** True if the worker can recover senders; starts it once there is enough load. */
  #hasWorker(): boolean {
    if (this.#recovery.isReady) return true
    if (++this.#underLoad >= WORTH_A_WORKER) this.#recovery.start()
    return false
  }

  /** Accepts at once if the queue is empty, otherwise after the queued submissions. */
  #inOrder(accept: () => ChainTransaction): ChainTransaction | Promise<ChainTransaction> {
    const isNext = this.#queue.length === 0
    if (isNext) {
      try {
        return accept()
      } catch (error) {
        if (!(error instanceof MissError)) throw error
      }
    }
    const { promise, waiting } = this.#wait(accept)
    waiting.ready = true
    if (isNext) this.#drain()
    return promise
  }

  #wait(accept: (sender?: Uint8Array) => ChainTransaction) {
    const { promise, resolve, reject } = Promise.withResolvers<ChainTransaction>()
    const waiting: Waiting = {
      ready: false,
      sender: undefined,
      run(sender) {
        try {
          resolve(accept(sender))
        } catch (error) {
          if (error instanceof MissError) return error
          reject(error)
        }
        return undefined
      },
      fail: reject,
    }
    this.#queue.push(waiting)
    return { promise, waiting }
  }

  #drain(): void {
    while (this.#queue[0]?.ready === true) {
      const next = this.#queue.shift()
      const miss = next?.run(next.sender)
      if (next !== undefined && miss !== undefined) this.#resume(next, miss)
    }
  }

  /** Puts a submission back to its place until what it lacks is loaded. */
  #resume(waiting: Waiting, miss: MissError): void {
    waiting.ready = false
    this.#queue.unshift(waiting)
    const retry = () => {
      waiting.ready = true
      this.#drain()
    }
    miss.load().then(retry, (error: unknown) => {
      this.#queue.shift()
      waiting.fail(error)
      this.#drain()
    })
  }

  /** Counts a submission; returns whether the node is under load. */
  #countIn(): boolean {
    if (++this.#inTurn === 1) {
      setImmediate(() => {
        this.#inTurn = 0
        this.#recovery.collect()
      })
    }
    const now = performance.now()
    if (this.#inTurn > BURST) this.#loadEnds = now + LOAD_LASTS
    return now < this.#loadEnds
  }
}
