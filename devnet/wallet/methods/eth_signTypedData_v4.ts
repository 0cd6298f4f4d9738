import { type TypedData, typedData } from '../../json/schemas/typedData.ts'
import { isObject, parseForeign } from '../../primitives/json.ts'
import { holdsTooMuch, MOST_VALUES } from '../../primitives/jsonSize.ts'
import { type ReadContext, type Reader, refuse } from '../../primitives/reader.ts'
import { UNLIMITED_BITS } from '../../rpc/naming/decodeCall.ts'
import { toCaller } from '../core/chainRpc.ts'
import type { WalletMethod } from '../core/types.ts'
import { WalletParamsError } from '../core/walletErrors.ts'
import { ACCOUNT, list, readParams, requireAccount } from '../core/walletParams.ts'
import type { RequestSummary } from '../types.ts'

const LONGEST_INDENTED = 64 * 1024

const DATA = typedData('an object of types')

const DATA_OR_JSON: Reader<TypedData> = (value, context) =>
  DATA(typeof value === 'string' ? parsed(value, context) : value, context)

function parsed(json: string, context: ReadContext): unknown {
  if (holdsTooMuch(json)) {
    return refuse(context, json, `typed data with at most ${MOST_VALUES} values`, 'format')
  }
  try {
    return parseForeign(json)
  } catch {
    return refuse(context, json, 'typed data as JSON text', 'format')
  }
}

const PARAMS = list([ACCOUNT, DATA_OR_JSON], 'the account and the typed data')

/** Signs typed data (EIP-712), an object or JSON text, unless it names another chain. */
export default {
  async handle(context, params) {
    const { session, client } = context
    const [from, data] = readParams(PARAMS, params, session.wallet.settings)
    const { domain, primaryType, message } = data
    checkChain(domain.chainId, session.chains.active)
    requireAccount(context, from)
    await context.ask({
      isChainBound: domain.chainId !== undefined,
      summary: {
        title: 'Sign typed data',
        detail: primaryType.slice(0, 60),
        fields: [
          { label: 'Account', value: session.wallet.describe(from) },
          ...unlimitedFields(data),
          { label: 'Domain', value: readable(domain) },
          ...(message === undefined ? [] : [{ label: primaryType, value: readable(message) }]),
        ],
        warnings: /permit/i.test(primaryType)
          ? ['This signature allows someone else to move tokens of this account.']
          : [],
      },
    })
    requireAccount(context, from)
    const request = { method: 'eth_signTypedData_v4', params: [from, data] }
    return session.wallet.node.request(request, toCaller(client))
  },
} satisfies WalletMethod

/** Refuses data for another chain, as phishing sites send it. @throws {WalletParamsError} */
function checkChain(given: unknown, active: string): void {
  if (given === undefined || given === null) return
  if (integerIn(String(given)) === BigInt(active)) return
  const expected = `the active chain (${BigInt(active)})`
  throw new WalletParamsError('domain.chainId', 'chain-mismatch', expected, given)
}

/** Number of unlimited amounts that are named; the message below has them all. */
const MAX_UNLIMITED = 10
/** Number of values of a message that are looked at: its types may make much of little. */
const MAX_VALUES = 10_000

/** The amounts of typed data that have no limit, e.g. of a permit for 2^256 − 1. */
function unlimitedFields({ types, primaryType, message }: TypedData): RequestSummary['fields'] {
  const found: { label: string; value: string }[] = []
  let values = 0

  function walk(type: string, value: unknown, name: string): void {
    if (++values > MAX_VALUES || found.length === MAX_UNLIMITED) return
    if (Array.isArray(value)) {
      const item = type.replace(/\[\d*\]$/, '')
      for (const [index, one] of value.entries()) walk(item, one, `${name}[${index}]`)
      return
    }
    const bits = Number(/^uint(\d{1,3})$/.exec(type)?.[1] ?? 0)
    if (bits >= UNLIMITED_BITS && integerIn(value) === 2n ** BigInt(bits) - 1n) {
      found.push({ label: name, value: `Unlimited (2^${bits} − 1)` })
    }
    if (!isObject(value) || !Object.hasOwn(types, type)) return
    for (const field of types[type] ?? []) {
      walk(field.type, value[field.name], name === '' ? field.name : `${name}.${field.name}`)
    }
  }

  walk(primaryType, message, '')
  return found
}

/** The integer that text holds; `undefined` for longer text, which is slow to parse. */
function integerIn(value: unknown): bigint | undefined {
  const isShort = typeof value === 'string' && /^(?:0x[0-9a-f]{1,64}|\d{1,78})$/i.test(value)
  return isShort ? BigInt(value) : undefined
}

/** The value as JSON, indented unless it is long, since indentation can multiply the length. */
function readable(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > LONGEST_INDENTED ? text : JSON.stringify(value, undefined, 2)
}
