import { LimitError } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { WalletConnection } from '../types.ts'

/** Origins that one session keeps, because a client that is no browser may send any. */
const MOST_ORIGINS = 1000

/** Which accounts each origin may see and use (EIP-2255, with `eth_accounts` as the only permission). */
export class Permissions {
  readonly #isAutomatic: boolean
  /** An empty list is a connection that was ended, so that it does not come back by itself. */
  readonly #accounts = new Map<string | null, readonly Hex[]>()
  readonly #granted = new Map<string | null, number>()
  #selected: Hex | undefined

  /**
   * @param selected - the account that is connected where nobody names another; `undefined` where there is none
   * @param isAutomatic - whether an origin is connected before it asks
   */
  constructor(selected: Hex | undefined, isAutomatic: boolean) {
    this.#selected = selected
    this.#isAutomatic = isAutomatic
  }

  get selected(): Hex | undefined {
    return this.#selected
  }

  /** Hears of an origin, which is connected by itself where all are. */
  meet(origin: string | null, now: number): void {
    if (!this.#isAutomatic || this.#selected === undefined || this.#accounts.has(origin)) return
    if (this.#accounts.size < MOST_ORIGINS) this.grant(origin, this.#selected, now)
  }

  /** The accounts of an origin; none while it is not connected. */
  accountsOf(origin: string | null): readonly Hex[] {
    return this.#accounts.get(origin) ?? []
  }

  /** ms since the epoch, of the last grant. */
  grantedAt(origin: string | null): number {
    return this.#granted.get(origin) ?? 0
  }

  connections(): WalletConnection[] {
    return [...this.#accounts]
      .filter(([, accounts]) => accounts.length > 0)
      .map(([origin, accounts]) => ({ origin, accounts }))
  }

  /** Connects an origin. @throws {LimitError} */
  grant(origin: string | null, account: Hex, now: number): void {
    if (!this.#accounts.has(origin) && this.#accounts.size >= MOST_ORIGINS) {
      throw new LimitError(`the wallet has met ${MOST_ORIGINS} origins, which is its limit`)
    }
    this.#accounts.set(origin, [account])
    this.#granted.set(origin, now)
  }

  /** Ends a connection; answers whether there was one. */
  revoke(origin: string | null): boolean {
    const wasConnected = this.accountsOf(origin).length > 0
    if (this.#accounts.has(origin) || wasConnected) this.#accounts.set(origin, [])
    this.#granted.delete(origin)
    return wasConnected
  }

  /** Selects an account, and gives every connected origin that one. */
  select(account: Hex): void {
    this.#selected = account
    for (const [origin, accounts] of this.#accounts) {
      if (accounts.length > 0) this.#accounts.set(origin, [account])
    }
  }
}
