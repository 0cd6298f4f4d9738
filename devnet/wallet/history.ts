import type { HistoryEntry, HistoryFilter } from './types.ts'

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
