import type { Hex } from '../../primitives/hex.ts'
import {
  fail,
  keyedObject,
  mapped,
  type Output,
  objectOf,
  type ReadContext,
  type Reader,
} from '../../primitives/reader.ts'
import { accountCode, address, quantity, quantity64, storageSlot } from '../params.ts'

/** Overrides of accounts by address, sorted by address; refuses unknown fields. */
export const stateOverrides = () => STATE_OVERRIDES

/** Overrides by address, sorted by address; applied in this order. */
export type StateOverrides = Output<typeof STATE_OVERRIDES>

/** Changes to one account before calls run. */
export type AccountOverride = Output<typeof FIELDS>

const STORAGE = keyedObject(storageSlot(), storageSlot(), 'an object of storage slots')

const FIELDS = objectOf({
  optional: {
    balance: quantity(),
    nonce: quantity64(),
    code: accountCode(),
    /** The whole storage: slots that are not listed become zero. */
    state: STORAGE,
    /** Single slots; never together with `state`. */
    stateDiff: STORAGE,
    /** Address to which the precompile at this address moves. */
    movePrecompileToAddress: address(),
  },
  isStrict: true,
})

const ACCOUNT = mapped(FIELDS, checkAccount)
const BY_ADDRESS = keyedObject(address(), ACCOUNT, 'an object of account overrides')

const STATE_OVERRIDES: Reader<ReadonlyMap<Hex, AccountOverride>> = mapped(
  BY_ADDRESS,
  (accounts) => new Map([...accounts].sort(([one], [other]) => (one < other ? -1 : 1))),
)

function checkAccount(fields: AccountOverride, context: ReadContext): AccountOverride {
  const isTwice = fields.state !== undefined && fields.stateDiff !== undefined
  return isTwice ? fail(context, 'both "state" and "stateDiff" are set') : fields
}
