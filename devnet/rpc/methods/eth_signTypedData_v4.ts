import { address, params } from '../../json/params.ts'
import { isObject, parseForeign } from '../../primitives/json.ts'
import { holdsTooMuch, MOST_VALUES } from '../../primitives/jsonSize.ts'
import {
  anything,
  fail,
  listOf,
  type Output,
  objectOf,
  optional,
  type ReadContext,
  type Reader,
  recordOf,
  refuse,
  text,
} from '../../primitives/reader.ts'
import { defineMethod } from '../method.ts'
import { DOMAIN, signTypedData } from '../sending/typedData.ts'
import { privateKeyOf } from '../sending/unlockedAccounts.ts'

const MOST_TYPES = 256

const TYPED_DATA = objectOf({
  fields: {
    types: recordOf(
      listOf(objectOf({ fields: { name: text(), type: text() } }), 'a list of fields'),
    ),
    primaryType: text('the name of a type'),
    domain: recordOf(anything),
    message: optional(recordOf(anything)),
  },
  what: 'typed data',
})

const typedData: Reader<Output<typeof TYPED_DATA>> = (value, context) => {
  const data = TYPED_DATA(checkCount(readJson(value, context), context), context)
  // viem leaves the message of a domain out.
  return data.message === undefined && data.primaryType !== DOMAIN
    ? refuse(context, undefined, 'an object', 'type', 'message')
    : data
}

/** Signs typed data (EIP-712), given as an object or as JSON text. */
export default defineMethod({
  params: params(address(), typedData),
  handle(context, [account, data]) {
    return signTypedData(data, privateKeyOf(context, account))
  },
})

function readJson(value: unknown, context: ReadContext): unknown {
  if (typeof value !== 'string') return value
  if (holdsTooMuch(value)) return fail(context, `typed data holds over ${MOST_VALUES} values`)
  try {
    return parseForeign(value)
  } catch {
    return fail(context, 'typed data is not valid JSON')
  }
}

/** More types than the library takes are not even read. */
function checkCount(data: unknown, context: ReadContext): unknown {
  const types = isObject(data) && isObject(data.types) ? Object.keys(data.types) : []
  return types.length > MOST_TYPES ? fail(context, `more than ${MOST_TYPES} types`) : data
}
