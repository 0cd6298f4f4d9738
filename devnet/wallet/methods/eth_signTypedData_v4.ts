import { type TypedData, typedData } from '../../json/schemas/typedData.ts'
import { plainText } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import { jsonIn } from '../../primitives/json.ts'
import { holdsTooMuch, MOST_VALUES } from '../../primitives/jsonSize.ts'
import { type ReadContext, type Reader, refuse } from '../../primitives/reader.ts'
import { requestTo } from '../core/chainRpc.ts'
import { type Facts, lookUp } from '../core/facts.ts'
import { TIMEOUT } from '../core/inTime.ts'
import { permitTitle, readPermit } from '../core/permits.ts'
import type { Session } from '../core/session.ts'
import { integerIn, typedText } from '../core/typedText.ts'
import type { WalletMethod } from '../core/types.ts'
import { WalletParamsError } from '../core/walletErrors.ts'
import { ACCOUNT, isDeep, list, readParams, requireAccount, SHALLOW } from '../core/walletParams.ts'
import type { RequestSummary } from '../types.ts'

/** Most characters of values in words. */
const LONGEST_TEXT = 64 * 1024

const DATA = typedData('an object of types')

const DATA_OR_JSON: Reader<TypedData> = (value, context) =>
  DATA(typeof value === 'string' ? parsed(value, context) : value, context)

function parsed(json: string, context: ReadContext): unknown {
  if (holdsTooMuch(json)) {
    return refuse(context, json, `typed data with at most ${MOST_VALUES} values`, 'format')
  }
  const data = jsonIn(json)
  if (data === undefined) return refuse(context, json, 'typed data as JSON text', 'format')
  return isDeep(data) ? refuse(context, json, SHALLOW, 'range') : data
}

const PARAMS = list([ACCOUNT, DATA_OR_JSON], 'the account and the typed data')

/** Signs typed data (EIP-712), an object or JSON text, unless it names another chain. */
export default {
  async handle(context, params) {
    const { session, client } = context
    const [from, data] = readParams(PARAMS, params, session.wallet.settings)
    const { domain } = data
    checkChain(domain.chainId, session.chains.active)
    requireAccount(context, from)
    const summarize = (facts: Facts) => describe(session, from, data, facts)
    await context.ask({
      isChainBound: domain.chainId !== undefined,
      summary: summarize({ describe: session.wallet.describe, units: new Map() }),
      preview: async (signal) => summarize(await factsOf(session, data, signal)),
    })
    requireAccount(context, from)
    const request = { method: 'eth_signTypedData_v4', params: [from, data] }
    return requestTo(session, session.wallet.node.chainId, request, client)
  },
} satisfies WalletMethod

async function factsOf(session: Session, data: TypedData, signal: AbortSignal): Promise<Facts> {
  const tokens = readPermit(data)?.allowances.flatMap(({ token }) => token ?? []) ?? []
  const text = JSON.stringify([data.domain, data.message])
  const until = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)])
  return lookUp(session, { text, tokens }, until)
}

function describe({ wallet }: Session, from: Hex, data: TypedData, facts: Facts): RequestSummary {
  const { domain, primaryType, message } = data
  const permit = readPermit(data)
  return {
    title: permit === undefined ? 'Sign typed data' : permitTitle(permit, facts),
    detail: primaryType.slice(0, 60),
    fields: [
      { label: 'Account', value: wallet.describe(from) },
      { label: 'Domain', value: readable(domain, facts) },
      ...(message === undefined ? [] : [{ label: primaryType, value: readable(message, facts) }]),
    ],
    warnings: /permit/i.test(primaryType)
      ? ['This signature allows someone else to move tokens of this account.']
      : [],
  }
}

/** Refuses data for another chain, as phishing sites send it. @throws {WalletParamsError} */
function checkChain(given: unknown, active: string): void {
  if (given === undefined || given === null) return
  if (integerIn(plainText(given)) === BigInt(active)) return
  const expected = `the active chain (${BigInt(active)})`
  throw new WalletParamsError('domain.chainId', 'chain-mismatch', expected, given)
}

/** The values in words; as JSON if these are long, since indentation can multiply the length. */
function readable(value: object, { describe }: Facts): string {
  return typedText(value, describe, LONGEST_TEXT) ?? JSON.stringify(value)
}
