import { Worker } from 'node:worker_threads'

/** Starts `<name>.worker` in this folder: the `.ts` file in the sources, `.js` in the build. */
export function startWorker(name: string, workerData?: unknown): Worker {
  const isSource = import.meta.url.endsWith('.ts')
  const url = new URL(`./${name}.worker.${isSource ? 'ts' : 'js'}`, import.meta.url)
  // Only sources need the `execArgv` of the process, which may contain loaders.
  return new Worker(url, { workerData, ...(isSource ? {} : { execArgv: [] }) })
}
