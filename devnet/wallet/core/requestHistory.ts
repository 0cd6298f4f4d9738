import { RefusedError } from '../../primitives/errors.ts'
import type { HistoryEntry, HistoryFilter, PendingRequest, WaitForFilter } from '../types.ts'
import type { Session } from './session.ts'

/** Characters of JSON that the entries may have together, because one may hold all that a request body can. */
const MOST_TEXT = 8 * 1024 * 1024

/** The requests that were answered. */
export class History {
  readonly #limit: number
  #entries: { readonly entry: HistoryEntry; readonly size: number }[] = []
  #size = 0

  /** @param limit - entries that are kept */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** @param size - characters of its parameters and its answer as JSON */
  add(entry: HistoryEntry, size: number): void {
    this.#entries.push({ entry, size })
    this.#size += size
    while (this.#entries.length > this.#limit || this.#size > MOST_TEXT) {
      this.#size -= this.#entries.shift()?.size ?? 0
    }
  }

  /** The oldest first; a `limit` of the filter is at least 1. */
  list(filter: HistoryFilter = {}): HistoryEntry[] {
    const found = this.#entries.map(({ entry }) => entry).filter((entry) => matches(entry, filter))
    return filter.limit === undefined ? found : found.slice(-filter.limit)
  }
}

/** Whether an entry, or a request that waits, is one that is meant. */
export function matches(
  request: Pick<HistoryEntry, 'id' | 'method' | 'origin'> & Partial<HistoryEntry>,
  { method, origin, decision, after }: HistoryFilter,
): boolean {
  return (
    (method === undefined || request.method === method) &&
    (origin === undefined || request.origin === origin) &&
    (decision === undefined || request.decision === decision) &&
    (after === undefined || Number(request.id) > Number(after))
  )
}

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
