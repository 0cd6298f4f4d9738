import { Worker } from 'node:worker_threads'
import { packageRoot } from '../../primitives/packageRoot.ts'

/**
 * Starts a worker: the `.ts` file in the sources, `.js` in the build.
 *
 * @param path - from the top of the package, without `.worker` and the ending
 */
export function startWorker(path: string, workerData?: unknown): Worker {
  const isSource = import.meta.url.endsWith('.ts')
  const url = new URL(isSource ? `${path}.worker.ts` : `dist/${path}.worker.js`, packageRoot)
  // Only sources need the `execArgv` of the process, which may contain loaders.
  return new Worker(url, { workerData, ...(isSource ? {} : { execArgv: [] }) })
}
