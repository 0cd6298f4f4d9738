import { RefusedError } from '../errors.ts'
import { matches } from './history.ts'
import type { Session } from './session.ts'
import type { PendingRequest, WaitForFilter } from './types.ts'

/** ms that is waited where nobody says. */
const TIMEOUT = 5000

/**
 * The oldest request that waits or the newest that was answered, or the next one.
 *
 * @param signal - ends the waiting with its reason
 * @throws {RefusedError} when none has come in time
 */
export function waitFor(
  session: Session,
  filter: WaitForFilter,
  state: 'pending' | 'decided',
  signal: AbortSignal,
): Promise<PendingRequest> {
  const find = (): PendingRequest | undefined =>
    state === 'pending'
      ? session.queue.list().find((request) => matches(request, filter))
      : session.history.list(filter).at(-1)
  if (signal.aborted) return Promise.reject(signal.reason)
  const found = find()
  if (found !== undefined) return Promise.resolve(found)

  const { timeout = TIMEOUT, method = 'any method' } = filter
  const { promise, resolve, reject } = Promise.withResolvers<PendingRequest>()
  const end = (): void => {
    stop()
    cancel()
    signal.removeEventListener('abort', onAbort)
  }
  const stop = session.onChange(() => {
    const next = find()
    if (next === undefined) return
    end()
    resolve(next)
  })
  const cancel = session.wallet.clock.after(timeout, () => {
    end()
    const what = state === 'pending' ? 'waits' : 'was answered'
    reject(new RefusedError(`no request of ${method} ${what} after ${timeout} ms`))
  })
  const onAbort = (): void => {
    end()
    reject(signal.reason)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  return promise
}
