import { choice, flag, integerWithin, type Output, objectOf } from '../../primitives/reader.ts'

/** Forms in which a request for state can name the fork block, best first. */
export const ADDRESS_FORMS = ['hashObject', 'hash', 'number'] as const

export type AddressForm = (typeof ADDRESS_FORMS)[number]

/** Form of the fork block in a request. */
export interface Address {
  readonly parameter: unknown
  /** True if each batch must compare the hash of the block. */
  readonly isGuarded: boolean
}

export const CAPABILITIES = objectOf({
  optional: {
    /** Form of the block in its requests for state. */
    addressForm: choice(ADDRESS_FORMS, 'a form of address'),
    /** `eth_getAccountInfo`: balance, nonce and code in one answer. */
    accountInfo: flag(),
    /** Most items in a batch; 1: none. */
    batch: integerWithin(1),
    /** State overrides with code in `eth_call`, which read many slots at once. */
    overrides: flag(),
    /** The same for balances. */
    callBalances: flag(),
    /** `eth_createAccessList`. */
    accessList: flag(),
    /** State overrides as its third parameter. */
    accessListOverrides: flag(),
  },
})

/**
 * Requests that an upstream has been found to take. Learned on first use and kept in the cache
 * folder, so that a restart need not ask again; `undefined` is what nobody has tried.
 */
export type Capabilities = { -readonly [Name in keyof Known]?: Known[Name] }

type Known = Output<typeof CAPABILITIES>
