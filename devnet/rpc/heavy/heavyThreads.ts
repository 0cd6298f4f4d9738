import { compiledCore } from '../../engine/core/coreModule.ts'
import type { Engine } from '../../engine/engine.ts'
import { startWorker } from '../../engine/workers/startWorker.ts'
import type { Read } from '../../engine/workers/stateReads.ts'
import { ThreadPool } from '../../engine/workers/threadPool.ts'
import type { HeavyJob, HeavyOutcome, HeavyWorkerData, Printed } from './heavyTasks.worker.ts'

export type HeavyThreads = ThreadPool<HeavyJob, HeavyOutcome, Read, Printed>

/** @param count - maximum number of threads */
export function createHeavyThreads(engine: Engine, count: number): HeavyThreads {
  return new ThreadPool((bell) => {
    // Compiled code is shared, not copied.
    const data: HeavyWorkerData = { bell, module: compiledCore(), forks: { ...engine.schedule } }
    return startWorker('devnet/rpc/heavy/heavyTasks', data)
  }, count)
}
