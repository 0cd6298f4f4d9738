import type { z } from 'zod'
import type { Hex } from '../../types.ts'
import { data } from './hex.ts'
import { fail, nested, reader } from './reader.ts'

/**
 * Code that an account may be given. Not what begins as a delegation (EIP-7702) and is none: no chain can have it, as no other code
 * may begin so (EIP-3541), and the library cannot call it. EDR, too, takes no such code.
 */
export function accountCode(): z.ZodType<Hex> {
  return ACCOUNT_CODE
}

/** 0x, and 23 bytes. */
const DELEGATION_LENGTH = 2 + 2 * 23

const ACCOUNT_CODE = reader<Hex>((value, context) => {
  const code = nested(data(), value, context)
  if (context.issues.length > 0 || !/^0xef01/i.test(code)) return code
  if (code.length !== DELEGATION_LENGTH) {
    const size = code.length / 2 - 1
    return fail(context, `code that begins as a delegation (EIP-7702) has 23 bytes, got ${size}`)
  }
  if (!/^0xef0100/i.test(code)) {
    return fail(context, 'a delegation (EIP-7702) is 0xef0100 and an address')
  }
  return code
})
