import * as z from 'zod'
import type { AccountOverride, StateOverrides } from '../../execution/types.ts'
import { address, data, storageSlot } from './hex.ts'
import { keyedObject } from './keyedObject.ts'
import { quantity, quantity64 } from './quantity.ts'
import { type Context, fail, wanted } from './reader.ts'

/** Overrides of accounts by address, read in the order of the addresses; an unknown field is refused. */
export function stateOverrides(): z.ZodType<StateOverrides> {
  return STATE_OVERRIDES
}

const STORAGE = keyedObject(storageSlot(), storageSlot(), 'an object of storage slots')

const FIELDS = z.strictObject(
  {
    balance: quantity().nullish(),
    nonce: quantity64().nullish(),
    code: data().nullish(),
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
  const { balance, nonce, code, state, stateDiff, movePrecompileToAddress } = fields
  if (state && stateDiff) return fail(context, 'both "state" and "stateDiff" are set')
  if (code && isBrokenDelegation(code)) {
    const problem = `code that begins as a delegation (EIP-7702) has 23 bytes, got ${code.length / 2 - 1}`
    return fail(context, problem, ['code'])
  }
  return {
    balance: balance ?? undefined,
    nonce: nonce ?? undefined,
    code: code ?? undefined,
    state: state ?? undefined,
    stateDiff: stateDiff ?? undefined,
    movePrecompileToAddress: movePrecompileToAddress ?? undefined,
  }
}

/** Code that no chain can have, since nothing else may begin so (EIP-3541); the library cannot call it. */
function isBrokenDelegation(code: string): boolean {
  return /^0xef0100/i.test(code) && code.length !== DELEGATION_LENGTH
}

/** 0x, and 23 bytes. */
const DELEGATION_LENGTH = 2 + 2 * 23
