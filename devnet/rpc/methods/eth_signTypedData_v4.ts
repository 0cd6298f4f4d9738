import { signTyped } from 'micro-eth-signer'
import * as z from 'zod'
import { address, type Context, fail, params, reader, wanted } from '../../json/params.ts'
import { InvalidParamsError, shorten } from '../../primitives/errors.ts'
import { parseForeign } from '../../primitives/json.ts'
import { defineMethod } from '../method.ts'
import { privateKeyOf } from '../sending/unlockedAccounts.ts'

/** Data of this type is the domain alone, so viem leaves its message out. */
const DOMAIN = 'EIP712Domain'

const typedData = reader(readJson).pipe(
  z
    .object(
      {
        types: z.record(
          z.string(),
          z.array(z.object({ name: z.string(), type: z.string() }), wanted('a list of fields')),
          wanted('an object'),
        ),
        primaryType: z.string(wanted('the name of a type')),
        domain: z.record(z.string(), z.unknown(), wanted('an object')),
        message: z.record(z.string(), z.unknown(), wanted('an object')).optional(),
      },
      wanted('typed data'),
    )
    .refine(({ primaryType, message }) => message !== undefined || primaryType === DOMAIN, {
      path: ['message'],
      error: 'want an object, got nothing',
    }),
)

/** Signs typed data (EIP-712), given as an object or as JSON text. */
export default defineMethod({
  params: params(address(), typedData),
  handle(context, [account, data]) {
    const privateKey = privateKeyOf(context, account)
    try {
      // Without extra entropy, the same data gives the same signature (RFC 6979). Cast because the
      // library infers its types from the schema in the data, which is known only at run time.
      const typed = { ...data, message: data.message ?? {} }
      return signTyped(typed as Parameters<typeof signTyped>[0], privateKey, false)
    } catch (cause) {
      // The library checks the values against their types while it hashes them.
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new InvalidParamsError(`invalid argument 1: ${shorten(reason, 200)}`, { cause })
    }
  },
})

function readJson(value: unknown, context: Context): unknown {
  if (typeof value !== 'string') return value
  try {
    return parseForeign(value)
  } catch {
    return fail(context, 'typed data is not valid JSON')
  }
}
