import { address, params } from '../../json/params.ts'
import { typedData } from '../../json/schemas/typedData.ts'
import { isObject, jsonIn } from '../../primitives/json.ts'
import { holdsTooMuch, MOST_VALUES } from '../../primitives/jsonSize.ts'
import { fail, type ReadContext } from '../../primitives/reader.ts'
import { defineMethod } from '../method.ts'
import { signTypedData } from '../sending/signTypedData.ts'
import { privateKeyOf } from '../sending/unlockedAccounts.ts'

const MOST_TYPES = 256

const readData = typedData()

/** Signs typed data (EIP-712), given as an object or as JSON text. */
export default defineMethod({
  params: params(address(), (value, context) =>
    readData(checkCount(readJson(value, context), context), context),
  ),
  handle(context, [account, data]) {
    return signTypedData(data, privateKeyOf(context, account))
  },
})

function readJson(value: unknown, context: ReadContext): unknown {
  if (typeof value !== 'string') return value
  if (holdsTooMuch(value)) return fail(context, `typed data holds over ${MOST_VALUES} values`)
  const data = jsonIn(value)
  return data === undefined ? fail(context, 'typed data is not valid JSON') : data
}

/** Refuses more types than the library takes before reading them. */
function checkCount(data: unknown, context: ReadContext): unknown {
  const types = isObject(data) && isObject(data.types) ? Object.keys(data.types) : []
  return types.length > MOST_TYPES ? fail(context, `more than ${MOST_TYPES} types`) : data
}
