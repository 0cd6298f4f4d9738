import { Worker } from 'node:worker_threads'

/** Starts `<name>.worker` of this folder, in the sources as well as in the build. */
export function startWorker(name: string, workerData?: unknown): Worker {
  const isSource = import.meta.url.endsWith('.ts')
  const url = new URL(`./${name}.worker.${isSource ? 'ts' : 'js'}`, import.meta.url)
  // Loaders in the arguments of the process are needed by sources only.
  return new Worker(url, { workerData, ...(isSource ? {} : { execArgv: [] }) })
}
