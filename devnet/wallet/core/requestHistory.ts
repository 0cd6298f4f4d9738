import { type HeldBytes, heldSize } from '../../primitives/heldBytes.ts'
import { type Hex, isBytes } from '../../primitives/hex.ts'
import type { HistoryEntry, HistoryFilter } from '../types.ts'

export class History {
  /** The bytes of the session, of which only history entries may be dropped. */
  readonly held: HeldBytes
  readonly #limit: number
  readonly #entries: Kept[] = []

  /** @param limit - maximum number of entries kept */
  constructor(limit: number, node: Pick<HeldBytes, 'open'>) {
    this.#limit = limit
    this.held = node.open(() => this.#forget())
  }

  /** Forgets the oldest entry; returns false if there is none. */
  #forget(): boolean {
    const oldest = this.#entries.shift()
    if (oldest !== undefined) this.held.add(-oldest.size)
    return oldest !== undefined
  }

  /** @param chainId - the chain that the request was about */
  add(entry: HistoryEntry, chainId: Hex): void {
    // The answer counts, too: the RPC of an added chain may return one of any length.
    const size = heldSize(entry)
    while (this.#entries.length >= this.#limit || !this.held.take(size)) {
      if (!this.#forget()) return
    }
    this.#entries.push({ entry, size, chainId })
  }

  /**
   * The matching entries, oldest first.
   *
   * @param filter - its `limit` must be at least 1
   * @param isGone - whether a transaction that was sent has left its chain. Default: none has
   */
  list(
    filter: HistoryFilter = {},
    isGone: (hash: Hex, chainId: Hex) => boolean = () => false,
  ): HistoryEntry[] {
    const found = this.#entries.filter(({ entry }) => matches(entry, filter))
    const shown = filter.limit === undefined ? found : found.slice(-filter.limit)
    return shown.map(({ entry, chainId }) => {
      const hash = sentHash(entry)
      return hash !== undefined && isGone(hash, chainId) ? { ...entry, isTakenBack: true } : entry
    })
  }
}

interface Kept {
  readonly entry: HistoryEntry
  readonly size: number
  readonly chainId: Hex
}

/** Hash of the transaction that a request has sent. */
function sentHash({ method, answer }: HistoryEntry): Hex | undefined {
  if (method !== 'eth_sendTransaction' || !('result' in answer)) return undefined
  return isBytes(answer.result, 32) ? answer.result : undefined
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
