import type { Chain } from '../chain/chain.ts'
import type { LogFilter } from '../json/logMatch.ts'
import { LimitError, RefusedError } from '../primitives/errors.ts'
import { type Hex, quantity } from '../primitives/hex.ts'
import type { RpcContext } from '../rpc/context.ts'

/** What a client polls with `eth_getFilterChanges`. */
export interface Filter {
  /** What came since the last read, each thing once. */
  changes(): readonly unknown[]
  /** Looks where the chain is, after each turn that may have taken it back. */
  follow(): void
  /** Ends what it listens to. */
  end(): void
  /** All logs that it is about, as a query; only of a filter of logs. `undefined` where there can be none. */
  readonly query?: () => LogFilter | undefined
}

/** There is no filter with this id, or none of this kind: code -32000, on which viem makes a new one. */
export class FilterNotFoundError extends RefusedError {
  override name = 'FilterNotFoundError'
  constructor(id: bigint, reason: string) {
    super(`filter not found: ${quantity(id)}: ${reason}`)
  }
}

interface Entry {
  readonly filter: Filter
  /** In the time of {@link FiltersParameters.now}. */
  expires: number
}

export interface FiltersParameters {
  readonly chain: Pick<Chain, 'onWrite'>
  /** ms after which a filter that nobody reads is removed. */
  readonly timeout: number
  /** How many there may be. */
  readonly most: number
  /** Real time in ms, whatever the chain's clocks do. */
  readonly now: () => number
}

/** The filters of a node. Each keeps a place in the chain rather than what it found; nothing runs while there is none. */
export class Filters {
  readonly #parameters: FiltersParameters
  /** Those read last come last. */
  readonly #entries = new Map<bigint, Entry>()
  #lastId = 0n
  #stopListening: (() => void) | undefined

  constructor(parameters: FiltersParameters) {
    this.#parameters = parameters
  }

  /**
   * Takes a filter in; answers its id, a number that rises and is never used again, as in hardhat node.
   *
   * @throws {LimitError} when there are as many as there may be
   */
  add(create: () => Filter): Hex {
    const { chain, most } = this.#parameters
    this.#expire()
    if (this.#entries.size >= most) {
      throw new LimitError(
        `the node has ${most} filters, which is the limit; remove some with eth_uninstallFilter`,
      )
    }
    const filter = create()
    const id = ++this.#lastId
    this.#stopListening ??= chain.onWrite(() => this.#onWrite())
    this.#entries.set(id, { filter, expires: this.#deadline() })
    return quantity(id)
  }

  /** @throws {FilterNotFoundError} */
  changes(id: bigint): readonly unknown[] {
    return this.#read(id).changes()
  }

  /** What `eth_getFilterLogs` looks for; `undefined` where there can be none. @throws {FilterNotFoundError} */
  query(id: bigint): LogFilter | undefined {
    const { query } = this.#read(id)
    if (query === undefined) {
      throw new FilterNotFoundError(
        id,
        'it is not a filter of logs; read it with eth_getFilterChanges',
      )
    }
    return query()
  }

  /** Removes a filter; answers false where there is none. */
  remove(id: bigint): boolean {
    this.#expire()
    const entry = this.#entries.get(id)
    if (entry === undefined) return false
    this.#entries.delete(id)
    entry.filter.end()
    this.#rest()
    return true
  }

  #read(id: bigint): Filter {
    this.#expire()
    const entry = this.#entries.get(id)
    if (entry === undefined) {
      const { timeout } = this.#parameters
      throw new FilterNotFoundError(
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
    for (const { filter } of this.#entries.values()) filter.follow()
  }

  #expire(): void {
    const now = this.#parameters.now()
    for (const [id, { filter, expires }] of this.#entries) {
      if (expires > now) break
      this.#entries.delete(id)
      filter.end()
    }
    this.#rest()
  }

  #rest(): void {
    if (this.#entries.size > 0) return
    this.#stopListening?.()
    this.#stopListening = undefined
  }

  #deadline(): number {
    return this.#parameters.now() + this.#parameters.timeout
  }
}

const tables = new WeakMap<Chain, Filters>()

/** The filters of a node. */
export function filtersOf({ chain, options }: Pick<RpcContext, 'chain' | 'options'>): Filters {
  let filters = tables.get(chain)
  if (filters === undefined) {
    filters = new Filters({
      chain,
      timeout: options.filterTimeout,
      most: options.maxFilters,
      now: () => performance.now(),
    })
    tables.set(chain, filters)
  }
  return filters
}
