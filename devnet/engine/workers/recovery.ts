import type { Worker } from 'node:worker_threads'
import type { SignedMessage } from '../signedMessage.ts'
import { RecoveryRing } from './recoveryRing.ts'
import { startWorker } from './startWorker.ts'

/**
 * Receives the 20 bytes of the sender, or `undefined` if the listener must recover it: the worker
 * ended or found the signature invalid. Must not throw.
 */
type SenderListener = (sender: Uint8Array | undefined) => void

interface Outstanding {
  readonly message: SignedMessage
  readonly listener: SenderListener
}

/** The recovery worker ended or could not start; the node continues without it. */
class RecoveryWorkerError extends Error {
  override name = 'RecoveryWorkerError'
}

/** Rings whose worker runs; they must be shut before the process ends the threads. */
const running = new Set<RecoveryRing>()

// One listener for all: Node.js warns of a leak if there are many.
process.on('exit', () => {
  for (const ring of running) ring.shut()
})

/**
 * Recovers senders on another thread, which halves the work of accepting a transaction on the main
 * thread. The thread does not keep the process alive.
 */
export class Recovery {
  readonly #onInternalError: (error: unknown) => void
  readonly #startWorker: (memory: SharedArrayBuffer) => Worker
  readonly #ring = new RecoveryRing()
  #worker: Worker | undefined
  #state: 'asleep' | 'starting' | 'ready' | 'closed' = 'asleep'
  /** In order of the calls; those before `#asked` are in the ring. */
  #outstanding: Outstanding[] = []
  #asked = 0
  /** Number of the first outstanding message. */
  #number = 0
  #looks = false
  #lastError: unknown

  /**
   * @param onInternalError - called at most once, when the worker ended
   * @param start - default: starts a thread that runs recovery.worker
   */
  constructor(
    onInternalError: (error: unknown) => void,
    start = (memory: SharedArrayBuffer) => startWorker('recovery', memory),
  ) {
    this.#onInternalError = onInternalError
    this.#startWorker = start
  }

  /** Whether {@link recover} may be called. */
  get isReady(): boolean {
    return this.#state === 'ready'
  }

  /** Starts the worker, if not done before. */
  start(): void {
    if (this.#state !== 'asleep') return
    this.#state = 'starting'
    try {
      const worker = this.#startWorker(this.#ring.memory)
      worker.once('message', () => {
        if (this.#state === 'starting') this.#state = 'ready'
      })
      worker.on('error', (error) => {
        this.#lastError = error
      })
      worker.on('exit', () => this.#ended())
      // After the listeners: adding one for messages refs the worker.
      worker.unref()
      this.#worker = worker
      running.add(this.#ring)
    } catch (error) {
      this.#lastError = error
      this.#ended()
    }
  }

  /** Calls `listener` later, in order of the calls. */
  recover(message: SignedMessage, listener: SenderListener): void {
    this.#outstanding.push({ message, listener })
    this.#ask()
  }

  /** Delivers the answers that are ready. */
  collect(): void {
    while (this.#outstanding.length > 0) {
      let count = 0
      while (count < this.#asked && this.#ring.isAnswered((this.#number + count) | 0)) count++
      if (count === 0) return
      const answered = this.#outstanding
      // Before the listeners, which may call `recover`.
      this.#outstanding = answered.splice(count)
      const first = this.#number
      const senders = answered.map((_, index) => this.#ring.answer((first + index) | 0))
      this.#number = (first + count) | 0
      this.#asked -= count
      this.#ask()
      for (const [index, { listener }] of answered.entries()) listener(senders[index])
    }
  }

  /** Returns outstanding messages to their listeners, and ends the worker. */
  async close(): Promise<void> {
    this.#state = 'closed'
    this.#giveBack()
    if (running.has(this.#ring)) this.#ring.shut()
    await this.#worker?.terminate()
  }

  /** Moves as many messages into the ring as it has room for. */
  #ask(): void {
    for (; this.#asked < this.#outstanding.length; this.#asked++) {
      const next = this.#outstanding[this.#asked]
      if (next === undefined || !this.#ring.ask(next.message, this.#number, this.#wake)) break
    }
    if (this.#outstanding.length === 0 || this.#looks) return
    this.#looks = true
    // Polls in every turn of the event loop: a message takes longer than the recovery.
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
    running.delete(this.#ring)
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
