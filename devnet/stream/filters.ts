import type { ChainEventSources } from '../chain/chainEvents.ts'
import type { LogFilter } from '../json/logMatch.ts'
import type { BlockContext } from '../json/resolveBlock.ts'
import { LimitError, RefusedError } from '../primitives/errors.ts'
import { type HeldBytes, watchSize } from '../primitives/heldBytes.ts'
import { type Hex, quantity } from '../primitives/hex.ts'
import { memoize } from '../primitives/memo.ts'
import type { SealedBlock } from '../protocol/block.ts'

/** A filter that a client polls with `eth_getFilterChanges`. */
export interface Filter {
  /**
   * Returns everything new since the last call, or a promise of it.
   *
   * @param signal - gives up when it aborts; what was to be returned is then still new
   */
  changes(signal: AbortSignal): readonly unknown[] | Promise<readonly unknown[]>
  /** Adjusts its position to the chain; called after each write, which may be a revert. */
  follow?(): void
  /**
   * Keeps the unread entries of abandoned blocks; called before the chain grows again, and before
   * {@link follow}.
   *
   * @param blocks - sealed blocks that a reorganisation has taken back, oldest first
   */
  takeBack?(blocks: readonly SealedBlock[]): void
  /** Stops listening. */
  end?(): void
  /** True if it returns what is pre-confirmed. Default: false */
  readonly readsPending?: boolean
  /** Log filters only: returns a query for all logs that match; `undefined` if none can. */
  readonly query?: () => LogFilter | undefined
}

interface Entry {
  readonly filter: Filter
  readonly size: number
  /** ms on the clock of {@link FiltersParameters.now}. */
  expires: number
}

export interface FiltersParameters {
  readonly events: Pick<ChainEventSources, 'written' | 'abandoned'>
  /** ms without a read after which a filter is removed. */
  readonly timeout: number
  /** Maximum number of filters. */
  readonly most: number
  /** Counts them. */
  readonly held: HeldBytes
  /** Wall clock in ms, not virtual time. */
  readonly now: () => number
}

/**
 * The filters of a node. Each keeps its position in the chain instead of its results. Listens to
 * the chain only while there is a filter. Exported for its test.
 */
export class Filters {
  readonly #parameters: FiltersParameters
  /** Sorted by time of the last read, oldest first. */
  readonly #entries = new Map<bigint, Entry>()
  #lastId = 0n
  #stopListening: readonly (() => void)[] = []

  constructor(parameters: FiltersParameters) {
    this.#parameters = parameters
  }

  /**
   * Adds a filter; returns its id. Ids increase and are never reused, as in `hardhat node`.
   *
   * @param asked - what the client gave. Default: nothing
   * @throws {LimitError} if the node has the maximum number of filters, or holds too much
   */
  add(create: () => Filter, asked?: unknown): Hex {
    const { events, most, held } = this.#parameters
    this.#expire()
    if (this.#entries.size >= most) {
      throw new LimitError(
        `the node has ${most} filters, which is the limit; remove some with eth_uninstallFilter`,
      )
    }
    const size = watchSize(asked)
    held.require(size, 'remove some filters with eth_uninstallFilter')
    // Only a check: the filter is counted once it exists.
    held.add(-size)
    const filter = create()
    held.add(size)
    const id = ++this.#lastId
    if (this.#stopListening.length === 0) {
      this.#stopListening = [
        events.written.add(() => this.#onWrite()),
        events.abandoned.add((blocks) => this.#onAbandon(blocks)),
      ]
    }
    this.#entries.set(id, { filter, size, expires: this.#deadline() })
    return quantity(id)
  }

  /** @throws {RefusedError} if there is no such filter */
  changes(id: bigint, signal: AbortSignal): readonly unknown[] | Promise<readonly unknown[]> {
    return this.#read(id).changes(signal)
  }

  /** Query of `eth_getFilterLogs`; `undefined` if there can be no logs. @throws {RefusedError} */
  query(id: bigint): LogFilter | undefined {
    const { query } = this.#read(id)
    if (query === undefined) {
      throw notFound(id, 'it is not a filter of logs; read it with eth_getFilterChanges')
    }
    return query()
  }

  /** True if there is such a filter, and it returns what is pre-confirmed. */
  readsPending(id: bigint): boolean {
    return this.#entries.get(id)?.filter.readsPending === true
  }

  remove(id: bigint): boolean {
    this.#expire()
    const entry = this.#entries.get(id)
    if (entry === undefined) return false
    this.#end(id, entry)
    this.#rest()
    return true
  }

  #read(id: bigint): Filter {
    this.#expire()
    const entry = this.#entries.get(id)
    if (entry === undefined) {
      const { timeout } = this.#parameters
      throw notFound(
        id,
        `it was never made, was removed, or was not read for ${timeout / 1000} s; make a new one`,
      )
    }
    entry.expires = this.#deadline()
    this.#entries.delete(id)
    this.#entries.set(id, entry)
    return entry.filter
  }

  #onWrite(): void {
    this.#expire()
    for (const { filter } of this.#entries.values()) filter.follow?.()
  }

  #onAbandon(blocks: readonly SealedBlock[]): void {
    this.#expire()
    for (const { filter } of this.#entries.values()) {
      filter.takeBack?.(blocks)
      filter.follow?.()
    }
  }

  #expire(): void {
    const now = this.#parameters.now()
    for (const [id, entry] of this.#entries) {
      if (entry.expires > now) break
      this.#end(id, entry)
    }
    this.#rest()
  }

  #end(id: bigint, { filter, size }: Entry): void {
    this.#entries.delete(id)
    this.#parameters.held.add(-size)
    filter.end?.()
  }

  #rest(): void {
    if (this.#entries.size > 0) return
    for (const stop of this.#stopListening) stop()
    this.#stopListening = []
  }

  #deadline(): number {
    return this.#parameters.now() + this.#parameters.timeout
  }
}

/** viem makes a new filter on this error. */
function notFound(id: bigint, reason: string): RefusedError {
  return new RefusedError(`filter not found: ${quantity(id)}: ${reason}`)
}

export const filtersOf = memoize(
  ({ chain, options }: BlockContext) =>
    new Filters({
      events: chain.events,
      timeout: options.filterTimeout,
      most: options.maxFilters,
      held: chain.held,
      now: () => performance.now(),
    }),
)
