import type { HistoryEntry, HistoryFilter } from '../types.ts'

/** Most characters of JSON in all entries: a single one can be as long as a request body. */
const MAX_TEXT = 8 * 1024 * 1024

export class History {
  readonly #limit: number
  readonly #entries: { readonly entry: HistoryEntry; readonly size: number }[] = []
  #size = 0

  /** @param limit - maximum number of entries kept */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** @param size - length of the parameters and the answer as JSON, in characters */
  add(entry: HistoryEntry, size: number): void {
    this.#entries.push({ entry, size })
    this.#size += size
    while (this.#entries.length > this.#limit || this.#size > MAX_TEXT) {
      this.#size -= this.#entries.shift()?.size ?? 0
    }
  }

  /** The matching entries, oldest first. A `limit` in the filter must be at least 1. */
  list(filter: HistoryFilter = {}): HistoryEntry[] {
    const found = this.#entries.map(({ entry }) => entry).filter((entry) => matches(entry, filter))
    return filter.limit === undefined ? found : found.slice(-filter.limit)
  }
}

/** True if a filter selects an entry or a waiting request. */
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
