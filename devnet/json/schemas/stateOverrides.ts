import type * as z from 'zod'
import type { AccountOverride, StateOverrides } from '../../execution/types.ts'
import {
  accountCode,
  address,
  type Context,
  fail,
  quantity,
  quantity64,
  storageSlot,
} from '../params.ts'
import { keyedObject, mapped, objectOf } from './containers.ts'

/** Overrides of accounts by address, sorted by address; refuses unknown fields. */
export const stateOverrides = (): z.ZodType<StateOverrides> => STATE_OVERRIDES

const STORAGE = keyedObject(storageSlot(), storageSlot(), 'an object of storage slots')

const FIELDS = objectOf({
  required: {},
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

const STATE_OVERRIDES: z.ZodType<StateOverrides> = mapped(
  BY_ADDRESS,
  (accounts) => new Map([...accounts].sort(([one], [other]) => (one < other ? -1 : 1))),
)

function checkAccount(fields: AccountOverride, context: Context): AccountOverride {
  const isTwice = fields.state !== undefined && fields.stateDiff !== undefined
  return isTwice ? fail(context, 'both "state" and "stateDiff" are set') : fields
}
