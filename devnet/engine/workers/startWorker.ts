import { Worker } from 'node:worker_threads'
import { packageRoot } from '../../primitives/packageRoot.ts'

/** Starts `<name>.worker` of this folder: the `.ts` file in the sources, `.js` in the build. */
export function startWorker(name: string, workerData?: unknown): Worker {
  const isSource = import.meta.url.endsWith('.ts')
  const path = `devnet/engine/workers/${name}.worker`
  const url = new URL(isSource ? `${path}.ts` : `dist/${path}.js`, packageRoot)
  // Only sources need the `execArgv` of the process, which may contain loaders.
  return new Worker(url, { workerData, ...(isSource ? {} : { execArgv: [] }) })
}
