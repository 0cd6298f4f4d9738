import type { TypedData } from '../../json/schemas/typedData.ts'
import { type TokenUnit, tokenAmount, UNLIMITED } from '../../primitives/amounts.ts'
import { type Hex, isBytes } from '../../primitives/hex.ts'
import { isObject } from '../../primitives/json.ts'
import { lower } from '../../rpc/naming/tokenMoves.ts'
import { VAST } from './describeTransaction.ts'
import { type Facts, nameFirst } from './facts.ts'
import { dateOf, integerIn } from './typedText.ts'

/** Typed data that lets someone spend tokens: ERC-2612, DAI's form of it, and Permit2. */
export interface Permit {
  /** In lower case. */
  readonly spender: Hex
  readonly allowances: readonly { readonly token: Hex | undefined; readonly amount: bigint }[]
  /** Time at which it expires, in s since the epoch; `undefined` if it has none. */
  readonly until: bigint | undefined
}

/** Reads typed data as a permit; `undefined` if it is none of the known ones. */
export function readPermit({ primaryType, domain, message = {} }: TypedData): Permit | undefined {
  const { spender, value, allowed, details, permitted = details } = message
  if (!primaryType.startsWith('Permit') || !isBytes(spender, 20)) return undefined
  const own = { token: domain.verifyingContract, amount: allowed === true ? String(VAST) : value }
  // Permit2 has one token, or a list.
  const items = permitted === undefined ? [own] : [permitted].flat().filter(isObject)
  const allowances = items.flatMap(({ token, amount: given }) => {
    const amount = integerIn(given)
    const address = isBytes(token, 20) ? lower(token) : undefined
    return amount === undefined ? [] : [{ token: address, amount }]
  })
  if (allowances.length === 0 || allowances.length < items.length) return undefined
  const last = message.deadline ?? message.sigDeadline ?? message.expiry
  const until = items.flatMap((one) =>
    'expiration' in one ? (integerIn(one.expiration) ?? []) : [],
  )
  const latest = until.reduce<bigint | undefined>(
    (a, b) => (a === undefined || b > a ? b : a),
    undefined,
  )
  return { spender: lower(spender), allowances, until: latest ?? integerIn(last) }
}

/** `Permit: let Router spend unlimited USDT until 2030-03-17`. */
export function permitTitle({ spender, allowances, until }: Permit, facts: Facts): string {
  const [first = '', second] = allowances.map(({ token, amount }) =>
    amountText(amount, (token && facts.units.get(token)) ?? { decimals: null, symbol: null }),
  )
  const rest = allowances.length - 2
  const amounts = `${first}${second === undefined ? '' : `, ${second}`}${rest > 0 ? ` and ${rest} more` : ''}`
  const day = until === undefined ? undefined : (dateOf(until)?.slice(0, 10) ?? 'the end of time')
  const who = nameFirst(facts.describe(spender)).replace(/ \(0x\w+\)$/, '')
  return `Permit: let ${who} spend ${amounts}${day === undefined ? '' : ` until ${day}`}`
}

function amountText(amount: bigint, unit: TokenUnit): string {
  return amount < VAST ? tokenAmount(amount, unit) : `${UNLIMITED} ${unit.symbol ?? 'tokens'}`
}
