import type { AccountOverride, StateOverrides } from '../../execution/types.ts'
import {
  fail,
  keyedObject,
  mapped,
  objectOf,
  type ReadContext,
  type Reader,
} from '../../primitives/reader.ts'
import { accountCode, address, quantity, quantity64, storageSlot } from '../params.ts'

/** Overrides of accounts by address, sorted by address; refuses unknown fields. */
export const stateOverrides = (): Reader<StateOverrides> => STATE_OVERRIDES

const STORAGE = keyedObject(storageSlot(), storageSlot(), 'an object of storage slots')

const FIELDS = objectOf({
  optional: {
    balance: quantity(),
    nonce: quantity64(),
    code: accountCode(),
    state: STORAGE,
    stateDiff: STORAGE,
    movePrecompileToAddress: address(),
  },
  isStrict: true,
})

const ACCOUNT = mapped(FIELDS, checkAccount)
const BY_ADDRESS = keyedObject(address(), ACCOUNT, 'an object of account overrides')

const STATE_OVERRIDES: Reader<StateOverrides> = mapped(
  BY_ADDRESS,
  (accounts) => new Map([...accounts].sort(([one], [other]) => (one < other ? -1 : 1))),
)

function checkAccount(fields: AccountOverride, context: ReadContext): AccountOverride {
  const isTwice = fields.state !== undefined && fields.stateDiff !== undefined
  return isTwice ? fail(context, 'both "state" and "stateDiff" are set') : fields
}
