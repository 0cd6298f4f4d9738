import type { DecodedTransaction, SignedTransaction } from '../engine/decodeTransaction.ts'
import type { Engine } from '../engine/engine.ts'
import type { Executor } from '../engine/executor.ts'
import { Recovery } from '../engine/workers/recovery.ts'
import type { DevnetError } from '../primitives/errors.ts'
import type { ForkRules } from '../protocol/forks.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'

/** A transaction that this process made: nobody has to recover its sender. */
export interface OwnTransaction {
  /** EIP-2718 bytes. */
  readonly raw: Uint8Array
  /** 20 bytes. */
  readonly sender: Uint8Array
  /** The sender did not sign it, and may have code. Default: false. */
  readonly impersonated?: boolean
}

/** EIP-2718 bytes, or what makes a transaction when all that was submitted before is accepted or refused. */
export type Submission = Uint8Array | (() => OwnTransaction)

/** What may be accepted. */
export interface AdmissionTerms {
  /**
   * Makes the error with which a transaction behind a nonce gap is refused, of the nonce that can come next and of its own.
   * Default: it waits in the mempool.
   */
  readonly refuseGap?: (next: bigint, nonce: bigint) => DevnetError
}

/** Holds its place in the order until it is ready. */
interface Waiting {
  ready: boolean
  sender: Uint8Array | undefined
  /** Must not throw. */
  readonly run: (sender: Uint8Array | undefined) => void
}

/** ms for which load lasts after a turn of the event loop with several submissions. */
const LOAD_LASTS = 2

/** Submissions under load after which the worker is worth its start. */
const WORTH_A_WORKER = 16

/**
 * Signed transactions on their way into the mempool, in the order in which they came. One that comes alone is accepted at once; under
 * load their senders are recovered on another thread.
 */
export class Submissions {
  readonly #engine: Engine
  readonly #rules: () => ForkRules
  readonly #recovery: Recovery
  readonly #admit: (decoded: DecodedTransaction, terms: AdmissionTerms) => ChainTransaction
  readonly #queue: Waiting[] = []
  /** Submissions that wait for the executor. */
  #loading = 0
  #inTurn = 0
  #underLoad = 0
  #loadEnds = 0

  constructor(parameters: {
    engine: Engine
    /** Rules of the pending block. */
    rules: () => ForkRules
    admit: (decoded: DecodedTransaction, terms: AdmissionTerms) => ChainTransaction
    onInternalError: (error: unknown) => void
    recovery?: Recovery | undefined
  }) {
    this.#engine = parameters.engine
    this.#rules = parameters.rules
    this.#admit = parameters.admit
    this.#recovery = parameters.recovery ?? new Recovery(parameters.onInternalError)
  }

  /** @throws {RefusedError} what is wrong with the transaction, or rejects with it */
  submit(
    submission: Submission,
    terms: AdmissionTerms = {},
  ): ChainTransaction | Promise<ChainTransaction> {
    const rules = this.#rules()
    const executor = this.#engine.loaded(rules)
    if (executor !== undefined && this.#loading === 0) {
      return this.#accept(executor, submission, terms)
    }
    this.#loading++
    return this.#engine.executor(rules).then((loaded) => {
      this.#loading--
      return this.#accept(loaded, submission, terms)
    })
  }

  /** Resolves when all submitted before is accepted or refused; `undefined` where that is so already. */
  settled(): Promise<void> | undefined {
    if (this.#loading > 0) return this.#engine.executor(this.#rules()).then(() => this.settled())
    if (this.#queue.length === 0) return undefined
    return new Promise((resolve) => {
      this.#queue.push({ ready: true, sender: undefined, run: () => resolve() })
    })
  }

  /** Accepts or refuses what waits at once, and ends the worker; later submissions go without it. */
  close(): Promise<void> {
    return this.#recovery.close()
  }

  #accept(
    executor: Executor,
    submission: Submission,
    terms: AdmissionTerms,
  ): ChainTransaction | Promise<ChainTransaction> {
    const isBusy = this.#countIn()
    if (typeof submission === 'function') {
      // Signed in this process: nothing to win on another thread, but it must not overtake.
      const accept = () => {
        const { raw, sender, impersonated } = submission()
        const decoded = executor.identify(executor.decode(raw), sender)
        return this.#admit({ ...decoded, impersonated }, terms)
      }
      return this.#queue.length === 0 ? accept() : this.#wait(true, accept).promise
    }
    const signed = executor.decode(submission)
    const accept = (sender?: Uint8Array) => this.#admit(executor.identify(signed, sender), terms)
    return !isBusy && this.#queue.length === 0 ? accept() : this.#acceptBusy(signed, accept)
  }

  #acceptBusy(
    signed: SignedTransaction,
    accept: (sender?: Uint8Array) => ChainTransaction,
  ): ChainTransaction | Promise<ChainTransaction> {
    if (!this.#recovery.isReady) {
      if (++this.#underLoad >= WORTH_A_WORKER) this.#recovery.start()
      return this.#queue.length === 0 ? accept() : this.#wait(true, accept).promise
    }
    const { promise, waiting } = this.#wait(false, accept)
    this.#recovery.recover(signed.message, (sender) => {
      waiting.sender = sender
      waiting.ready = true
      this.#drain()
    })
    return promise
  }

  #wait(ready: boolean, accept: (sender?: Uint8Array) => ChainTransaction) {
    const { promise, resolve, reject } = Promise.withResolvers<ChainTransaction>()
    const waiting: Waiting = {
      ready,
      sender: undefined,
      run(sender) {
        try {
          resolve(accept(sender))
        } catch (error) {
          reject(error)
        }
      },
    }
    this.#queue.push(waiting)
    return { promise, waiting }
  }

  #drain(): void {
    while (this.#queue[0]?.ready === true) {
      const next = this.#queue.shift()
      next?.run(next.sender)
    }
  }

  /** Counts a submission; whether there is load. */
  #countIn(): boolean {
    if (++this.#inTurn === 1) setImmediate(() => this.#endTurn())
    const now = performance.now()
    if (this.#inTurn > 1) this.#loadEnds = now + LOAD_LASTS
    return now < this.#loadEnds
  }

  #endTurn(): void {
    this.#inTurn = 0
    this.#recovery.collect()
  }
}
