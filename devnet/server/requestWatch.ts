import type { RequestWatch } from '../rpc/observer.ts'
import type { RequestEvent } from '../types.ts'

/**
 * Measures requests for those who watch.
 *
 * @param isWatched - asked for each request: without anybody, that is all the work
 */
export function createRequestWatch(
  isWatched: () => boolean,
  report: (event: RequestEvent) => void,
): RequestWatch {
  return (message) => {
    if (!isWatched()) return undefined
    const start = performance.now()
    return (error) => {
      const { method, params } = partsOf(message)
      report({
        method: typeof method === 'string' ? method : null,
        params,
        elapsed: performance.now() - start,
        error:
          error === undefined
            ? null
            : { code: error.code, message: error.message, data: error.data },
      })
    }
  }
}

/** What a message asks for, whatever it is. */
function partsOf(message: unknown): { readonly method?: unknown; readonly params?: unknown } {
  return typeof message === 'object' && message !== null ? message : {}
}
