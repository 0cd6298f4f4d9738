import * as z from 'zod'
import type { AccountOverride, StateOverrides } from '../../execution/types.ts'
import {
  accountCode,
  address,
  type Context,
  fail,
  quantity,
  quantity64,
  storageSlot,
  wanted,
  withoutNulls,
} from '../params.ts'
import { keyedObject } from './keyedObject.ts'

/** Overrides of accounts by address, sorted by address; refuses unknown fields. */
export const stateOverrides = (): z.ZodType<StateOverrides> => STATE_OVERRIDES

const STORAGE = keyedObject(storageSlot(), storageSlot(), 'an object of storage slots')

const FIELDS = z.strictObject(
  {
    balance: quantity().nullish(),
    nonce: quantity64().nullish(),
    code: accountCode().nullish(),
    state: STORAGE.nullish(),
    stateDiff: STORAGE.nullish(),
    movePrecompileToAddress: address().nullish(),
  },
  wanted('an object'),
)

const ACCOUNT = FIELDS.transform(readAccount)
const BY_ADDRESS = keyedObject(address(), ACCOUNT, 'an object of account overrides')

const STATE_OVERRIDES: z.ZodType<StateOverrides> = BY_ADDRESS.transform(
  (accounts) => new Map([...accounts].sort(([one], [other]) => (one < other ? -1 : 1))),
)

function readAccount(fields: z.output<typeof FIELDS>, context: Context): AccountOverride {
  if (fields.state && fields.stateDiff) {
    return fail(context, 'both "state" and "stateDiff" are set')
  }
  return withoutNulls(fields)
}
