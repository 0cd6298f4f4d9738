import { LimitError } from '../../primitives/errors.ts'
import { type HeldBytes, heldSize } from '../../primitives/heldBytes.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { WalletConnection } from '../types.ts'

/** Maximum number of origins per session, since clients other than browsers can send any origin. */
const MAX_ORIGINS = 1000

/** The accounts that each origin may see and use, by EIP-2255's permission `eth_accounts`. */
export class Permissions {
  readonly #isAutomatic: boolean
  readonly #held: HeldBytes
  /** By origin. An empty list is an ended connection, which `autoConnect` must not restore. */
  readonly #grants = new Map<string | null, { accounts: readonly Hex[]; granted: number }>()
  #selected: Hex | undefined

  /**
   * @param selected - the account to connect by default; `undefined` if there is none
   * @param held - counts the origins, of which each can be as long as a header
   * @param isAutomatic - whether to connect every origin before it asks (option `autoConnect`)
   */
  constructor(selected: Hex | undefined, isAutomatic: boolean, held: HeldBytes) {
    this.#held = held
    this.#selected = selected
    this.#isAutomatic = isAutomatic
  }

  get selected(): Hex | undefined {
    return this.#selected
  }

  /** Connects an origin seen for the first time if all are connected automatically. */
  meet(origin: string | null, now: number): void {
    if (!this.#isAutomatic || this.#selected === undefined || this.#grants.has(origin)) return
    if (this.#grants.size < MAX_ORIGINS) this.grant(origin, this.#selected, now)
  }

  /** The accounts connected to an origin; empty if it is not connected. */
  accountsOf(origin: string | null): readonly Hex[] {
    return this.#grants.get(origin)?.accounts ?? []
  }

  /** Time of the origin's last grant in ms since the epoch; 0 if it has none. */
  grantedAt(origin: string | null): number {
    return this.#grants.get(origin)?.granted ?? 0
  }

  connections(): WalletConnection[] {
    return [...this.#grants]
      .filter(([, { accounts }]) => accounts.length > 0)
      .map(([origin, { accounts }]) => ({ origin, accounts }))
  }

  /** Connects an origin to an account. @throws {LimitError} if there are too many origins */
  grant(origin: string | null, account: Hex, now: number): void {
    if (!this.#grants.has(origin) && this.#grants.size >= MAX_ORIGINS) {
      throw new LimitError(`the wallet has met ${MAX_ORIGINS} origins, which is its limit`)
    }
    if (!this.#grants.has(origin)) this.#held.require(heldSize([origin]), 'reset the session')
    this.#grants.set(origin, { accounts: [account], granted: now })
  }

  revoke(origin: string | null): void {
    if (this.#grants.has(origin)) this.#grants.set(origin, { accounts: [], granted: 0 })
  }

  /** Selects an account, and connects every connected origin to it instead. */
  select(account: Hex): void {
    this.#selected = account
    for (const grant of this.#grants.values()) {
      if (grant.accounts.length > 0) grant.accounts = [account]
    }
  }
}
