/** Forms in which a request for state can name the fork block, best first. */
export const ADDRESS_FORMS = ['hashObject', 'hash', 'number'] as const

export type AddressForm = (typeof ADDRESS_FORMS)[number]

/** Form of the fork block in a request. */
export interface Address {
  readonly parameter: unknown
  /** True if the block's hash must be compared. */
  readonly isGuarded: boolean
}

/**
 * Requests that an upstream has been found to take. Learned on first use and kept in the cache
 * folder, so that a restart need not ask again; `undefined` is what nobody has tried.
 */
export interface Capabilities {
  /** Form of the block in its requests for state. */
  addressForm?: AddressForm
  /** `eth_getAccountInfo`: balance, nonce and code in one answer. */
  accountInfo?: boolean
  /** Most items in a batch; 1: none. */
  batch?: number
  /** State overrides with code in `eth_call`, which read many slots at once. */
  overrides?: boolean
  /** The same for balances. */
  callBalances?: boolean
  /** `eth_createAccessList`. */
  accessList?: boolean
  /** State overrides as its third parameter. */
  accessListOverrides?: boolean
}
