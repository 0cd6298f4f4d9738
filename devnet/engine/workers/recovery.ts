import { Worker } from 'node:worker_threads'
import type { SignedMessage } from '../signedMessage.ts'
import { RecoveryRing } from './recoveryRing.ts'

/**
 * Takes the 20 bytes of the sender, or `undefined` where they are to be recovered by the taker: the worker is gone, or
 * finds the signature invalid. Must not throw.
 */
export type SenderListener = (sender: Uint8Array | undefined) => void

interface Outstanding {
  readonly message: SignedMessage
  readonly listener: SenderListener
}

/** The worker that recovers senders ended, or could not start: the node goes on without. */
export class RecoveryWorkerError extends Error {
  override name = 'RecoveryWorkerError'
}

/** Rings whose worker runs: the end of the process ends their threads too. */
const running = new Set<RecoveryRing>()

// One listener for all: Node.js warns of a leak if there are many.
process.on('exit', () => {
  for (const ring of running) ring.shut()
})

/**
 * Recovers senders on a second thread, which takes half of the work of accepting a transaction off the first. The
 * thread starts when first asked for; it never keeps the process alive.
 */
export class Recovery {
  readonly #onInternalError: (error: unknown) => void
  readonly #startWorker: (memory: SharedArrayBuffer) => Worker
  readonly #ring = new RecoveryRing()
  #worker: Worker | undefined
  #state: 'asleep' | 'starting' | 'ready' | 'closed' = 'asleep'
  /** In the order of the calls; those before `#asked` are in the ring. */
  #outstanding: Outstanding[] = []
  #asked = 0
  /** Number of the first outstanding one. */
  #number = 0
  #looks = false
  #lastError: unknown

  /**
   * @param onInternalError - hears at most once that the worker ended
   * @param startWorker - default: a thread that runs recovery.worker
   */
  constructor(onInternalError: (error: unknown) => void, startWorker = startRecoveryWorker) {
    this.#onInternalError = onInternalError
    this.#startWorker = startWorker
  }

  /** Whether {@link recover} may be called. */
  get isReady(): boolean {
    return this.#state === 'ready'
  }

  /** Starts the worker, unless that was done before. */
  start(): void {
    if (this.#state !== 'asleep') return
    this.#state = 'starting'
    try {
      const worker = this.#startWorker(this.#ring.memory)
      worker.once('message', () => this.#ready())
      worker.on('error', (error) => {
        this.#lastError = error
      })
      worker.on('exit', () => this.#ended())
      // After the listeners: a new one for messages would keep the process alive.
      worker.unref()
      this.#worker = worker
      running.add(this.#ring)
    } catch (error) {
      this.#lastError = error
      this.#ended()
    }
  }

  /** Calls `listener` later, in the order of the calls. */
  recover(message: SignedMessage, listener: SenderListener): void {
    this.#outstanding.push({ message, listener })
    this.#ask()
  }

  /** Hands out the answers that are there. */
  collect(): void {
    while (this.#outstanding.length > 0) {
      let count = 0
      while (count < this.#asked && this.#ring.isAnswered((this.#number + count) | 0)) count++
      if (count === 0) return
      const answered = this.#outstanding
      // Before the listeners: they may ask for more.
      this.#outstanding = answered.splice(count)
      const first = this.#number
      const senders = answered.map((_, index) => this.#ring.answer((first + index) | 0))
      this.#number = (first + count) | 0
      this.#asked -= count
      this.#ask()
      for (const [index, { listener }] of answered.entries()) listener(senders[index])
    }
  }

  /** Hands out what is outstanding at once, to be recovered by those who asked, and ends the worker. */
  async close(): Promise<void> {
    this.#state = 'closed'
    this.#giveBack()
    if (running.has(this.#ring)) this.#ring.shut()
    await this.#worker?.terminate()
  }

  /** Puts into the ring what has room there. */
  #ask(): void {
    for (; this.#asked < this.#outstanding.length; this.#asked++) {
      const next = this.#outstanding[this.#asked]
      if (next === undefined || !this.#ring.ask(next.message, this.#number, this.#wake)) break
    }
    if (this.#outstanding.length === 0 || this.#looks) return
    this.#looks = true
    // In every turn until all is answered: to be told by a message takes longer than the recovery.
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

  #ready(): void {
    if (this.#state === 'starting') this.#state = 'ready'
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

function startRecoveryWorker(memory: SharedArrayBuffer): Worker {
  // Beside this file, in the sources as in what is built of them.
  const isSource = import.meta.url.endsWith('.ts')
  const url = new URL(`./recovery.worker.${isSource ? 'ts' : 'js'}`, import.meta.url)
  // Loaders that the process was started with are of use only to sources.
  return new Worker(url, { workerData: memory, ...(isSource ? {} : { execArgv: [] }) })
}
