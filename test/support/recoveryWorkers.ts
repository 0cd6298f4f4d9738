import { Worker } from 'node:worker_threads'
import { RecoveryRing } from '../../devnet/engine/workers/recoveryRing.ts'

/** Recovery workers that a test can end under load, as they end when they fail. */
export class RecoveryWorkers {
  readonly #started: { worker: Worker; memory: SharedArrayBuffer }[] = []

  get count(): number {
    return this.#started.length
  }

  readonly start = (memory: SharedArrayBuffer): Worker => {
    const url = new URL('../../devnet/engine/workers/recovery.worker.ts', import.meta.url)
    const worker = new Worker(url, { workerData: memory })
    this.#started.push({ worker, memory })
    return worker
  }

  /** Ends the first; not in the middle of native code, which would abort the process. */
  async endFirst(): Promise<void> {
    const [first] = this.#started
    if (first === undefined) throw new Error('No recovery worker started')
    new RecoveryRing(first.memory).shut()
    await first.worker.terminate()
  }
}
