import type { Worker } from 'node:worker_threads'
import type { SignedMessage } from '../signedMessage.ts'
import { RecoveryRing } from './recoveryRing.ts'
import { startWorker } from './startWorker.ts'

/**
 * Receives the 20 bytes of the sender, or `undefined` if the listener must recover it itself: the
 * worker ended or found the signature invalid. Must not throw.
 */
type SenderListener = (sender: Uint8Array | undefined) => void

interface Outstanding {
  readonly message: SignedMessage
  readonly listener: SenderListener
}

/**
 * Recovers senders on another thread, which halves the work of accepting a transaction on the main
 * thread. The thread does not keep the process alive.
 */
export class Recovery {
  readonly #onInternalError: (error: unknown) => void
  readonly #startWorker: (memory: SharedArrayBuffer) => Worker
  /** Made for the worker: most nodes of tests need neither. */
  #ring: RecoveryRing | undefined
  #worker: Worker | undefined
  #state: 'asleep' | 'starting' | 'ready' | 'closed' = 'asleep'
  /** Unanswered messages, in the order of the calls; the first `#asked` of them are in the ring. */
  #outstanding: Outstanding[] = []
  #asked = 0
  /** Number of the first outstanding message. */
  #number = 0
  #looks = false
  #lastError: unknown

  /**
   * @param onInternalError - called at most once, if the worker ends by itself or cannot start
   * @param start - starts the worker; default: starts a thread that runs recovery.worker
   */
  constructor(
    onInternalError: (error: unknown) => void,
    start = (memory: SharedArrayBuffer) => startWorker('devnet/engine/workers/recovery', memory),
  ) {
    this.#onInternalError = onInternalError
    this.#startWorker = start
  }

  /** True if {@link recover} may be called. */
  get isReady(): boolean {
    return this.#state === 'ready'
  }

  /** Starts the worker, unless it was started before. */
  start(): void {
    if (this.#state !== 'asleep') return
    this.#state = 'starting'
    try {
      const ring = new RecoveryRing()
      const worker = this.#startWorker(ring.memory)
      worker.once('message', () => {
        if (this.#state === 'starting') this.#state = 'ready'
      })
      worker.on('error', (error) => {
        this.#lastError = error
      })
      worker.on('exit', () => this.#ended())
      // Called after the listeners are added, because a listener for messages refs the worker.
      worker.unref()
      this.#worker = worker
      // One listener for all rings: Node.js warns of a leak if there are many.
      if (running.size === 0) process.on('exit', shutAll)
      running.add(ring)
      this.#ring = ring
    } catch (error) {
      this.#lastError = error
      this.#ended()
    }
  }

  /** Queues a message. Listeners are called later, in the order of the messages. */
  recover(message: SignedMessage, listener: SenderListener): void {
    this.#outstanding.push({ message, listener })
    this.#ask()
  }

  /** Passes the senders that are ready to their listeners. */
  collect(): void {
    const ring = this.#ring
    while (ring !== undefined && this.#outstanding.length > 0) {
      let count = 0
      while (count < this.#asked && ring.isAnswered((this.#number + count) | 0)) count++
      if (count === 0) return
      const answered = this.#outstanding
      // Updated before the listeners run, because they may call `recover`.
      this.#outstanding = answered.splice(count)
      const first = this.#number
      const senders = answered.map((_, index) => ring.answer((first + index) | 0))
      this.#number = (first + count) | 0
      this.#asked -= count
      this.#ask()
      for (const [index, { listener }] of answered.entries()) listener(senders[index])
    }
  }

  /** Calls outstanding listeners, with `undefined` if not answered yet, and ends the worker. */
  async close(): Promise<void> {
    this.#state = 'closed'
    this.#giveBack()
    if (this.#ring !== undefined && running.has(this.#ring)) this.#ring.shut()
    await this.#worker?.terminate()
  }

  /** Moves as many messages into the ring as fit. */
  #ask(): void {
    for (; this.#asked < this.#outstanding.length; this.#asked++) {
      const next = this.#outstanding[this.#asked]
      if (next === undefined || !this.#ring?.ask(next.message, this.#number, this.#wake)) break
    }
    if (this.#outstanding.length === 0 || this.#looks) return
    this.#looks = true
    // Polls in every turn of the event loop: a message from the worker takes longer to arrive.
    setImmediate(this.#look)
  }

  readonly #look = (): void => {
    this.#looks = false
    this.collect()
    this.#ask()
  }

  readonly #wake = (): void => {
    this.#worker?.postMessage('asked')
  }

  #ended(): void {
    if (this.#ring !== undefined) running.delete(this.#ring)
    if (running.size === 0) process.off('exit', shutAll)
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#onInternalError(
      new RecoveryWorkerError('The signature recovery worker ended; the node goes on without it', {
        cause: this.#lastError,
      }),
    )
    this.#giveBack()
  }

  #giveBack(): void {
    this.collect()
    const rest = this.#outstanding
    this.#outstanding = []
    this.#asked = 0
    for (const { listener } of rest) listener(undefined)
  }
}

/** The recovery worker ended or could not start; the node continues without it. */
class RecoveryWorkerError extends Error {
  override name = 'RecoveryWorkerError'
}

/** Rings whose worker is running. They must be shut before the process ends its threads. */
const running = new Set<RecoveryRing>()

function shutAll(): void {
  for (const ring of running) ring.shut()
}
