import * as z from 'zod'
import { address, type Context, fail, params, reader, wanted } from '../../json/params.ts'
import { isObject, parseForeign } from '../../primitives/json.ts'
import { holdsTooMuch, MOST_VALUES } from '../../primitives/jsonSize.ts'
import { defineMethod } from '../method.ts'
import { DOMAIN, signTypedData } from '../sending/typedData.ts'
import { privateKeyOf } from '../sending/unlockedAccounts.ts'

const MOST_TYPES = 256

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
    // viem leaves the message of a domain out.
    .refine(({ primaryType, message }) => message !== undefined || primaryType === DOMAIN, {
      path: ['message'],
      error: 'want an object, got nothing',
    }),
)

/** Signs typed data (EIP-712), given as an object or as JSON text. */
export default defineMethod({
  params: params(address(), typedData),
  handle(context, [account, data]) {
    return signTypedData(data, privateKeyOf(context, account))
  },
})

function readJson(value: unknown, context: Context): unknown {
  if (typeof value !== 'string') return checkCount(value, context)
  if (holdsTooMuch(value)) return fail(context, `typed data holds over ${MOST_VALUES} values`)
  try {
    return checkCount(parseForeign(value), context)
  } catch {
    return fail(context, 'typed data is not valid JSON')
  }
}

/** More types than the library takes are not even read. */
function checkCount(data: unknown, context: Context): unknown {
  const types = isObject(data) && isObject(data.types) ? Object.keys(data.types) : []
  return types.length > MOST_TYPES ? fail(context, `more than ${MOST_TYPES} types`) : data
}
