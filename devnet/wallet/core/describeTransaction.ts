import {
  etherText,
  exactEther,
  type TokenUnit,
  tokenAmount,
  UNLIMITED,
  UNLIMITED_NOTE,
} from '../../primitives/amounts.ts'
import { shorten } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { CallNames } from '../../rpc/naming/contractNames.ts'
import { argumentsText, callName, callText, decodeCall } from '../../rpc/naming/decodeCall.ts'
import { lower } from '../../rpc/naming/tokenMoves.ts'
import type { DecodedCall } from '../../rpc/naming/types.ts'
import type { RequestSummary, WalletChain } from '../types.ts'
import { type Facts, nameFirst } from './facts.ts'
import type { Wallet } from './wallet.ts'

/** The part of a transaction that its description shows. */
export interface ShownTransaction {
  readonly to?: Hex | null | undefined
  readonly value?: Hex | null | undefined
  readonly data?: Hex | null | undefined
  readonly input?: Hex | null | undefined
}

/** Longest data that is shown, in characters; the raw request has all of it. */
const MAX_DATA = 514
const MAX_DETAIL = 160
/** Longest argument in a detail, in characters. */
const MAX_ARGUMENT = 40

/**
 * Describes a transaction, for the summary of a request.
 *
 * @param facts - names of addresses, and units of tokens
 * @param symbol - of the chain's own currency
 * @param calls - how many transactions the request has
 */
export function describeTransaction(
  wallet: Wallet,
  transaction: ShownTransaction,
  names: CallNames,
  facts: Facts,
  symbol: string,
  calls = 1,
) {
  const { to, value } = transaction
  const data = calldata(transaction)
  const unit = to ? facts.units.get(lower(to)) : undefined
  const call = withAmount(decodeCall(facts.describe, names, calls), unit)
  const amount = coinAmount(BigInt(value ?? '0x0'), symbol)
  const recipient = to ? shortAddress(wallet.checksum(to)) : 'a new contract'
  // An unknown function, told apart by its selector.
  const selector = data === '0x' || !to ? '' : `, data ${shorten(data, 10)}`
  const payment = `${amount} to ${recipient}${selector}`
  return {
    title: call === undefined ? 'Send a transaction' : titleOf(call),
    /** Tells it apart from others with its title. */
    detail: call === undefined ? payment : callDetail(call, recipient, amount),
    /** Tells it apart from others of one request. */
    line: call === undefined ? payment : `${callName(call)}(${shortArguments(call)})`,
    fields: [
      { label: 'To', value: (to ? wallet.describe(to) : 'a new contract') + contractText(names) },
      { label: 'Value', value: amount },
      ...callFields(names, call, data),
      ...(call?.arguments || data === '0x' ? [] : [{ label: 'Data', value: dataText(data) }]),
    ],
    warnings: call === undefined ? [] : approvalWarnings(call, unit?.symbol ?? 'tokens'),
  }
}

/** The data of a transaction; both names of the field are in use. */
export function calldata({ input, data }: ShownTransaction): Hex {
  return input ?? data ?? '0x'
}

/** Functions of ERC-20 whose last argument is an amount of the token. */
const WITH_AMOUNT =
  /^(?:(?:transfer|approve|increaseAllowance|decreaseAllowance)\(address,uint256\)|transferFrom\(address,address,uint256\))$/

/** True if what is said of a call names the token that it may be to. */
export function isTokenCall({ function: signature }: DecodedCall): boolean {
  return WITH_AMOUNT.test(signature ?? '') || signature === 'setApprovalForAll(address,bool)'
}

/** Allowances from here on are as good as unlimited: it is the largest one of Permit2. */
export const VAST = 2n ** 160n - 1n

/** Warnings of what a call lets others do with the tokens of its sender, now and later. */
function approvalWarnings({ function: signature, arguments: list }: DecodedCall, token: string) {
  const [spender = '', amount = ''] = (list ?? []).map(({ value }) => nameFirst(String(value)))
  const isSpending = /^(?:approve|increaseAllowance)\(address,uint256\)$/.test(signature ?? '')
  if (isSpending && BigInt(/^\d+/.exec(amount)?.[0] ?? 0) >= VAST) {
    return [`${spender} may spend all ${token} of this account, now and later, without a limit.`]
  }
  if (signature === 'setApprovalForAll(address,bool)' && amount === 'true') {
    return [`${spender} may move all ${token} of this account, now and later.`]
  }
  return []
}

/** The call with its amount in the unit of the token; unchanged without one, as for ERC-721. */
function withAmount(call: DecodedCall | undefined, unit: TokenUnit | undefined) {
  if (!call?.arguments || !WITH_AMOUNT.test(call.function ?? '') || unit === undefined) return call
  if (unit.decimals === null || unit.symbol === null) return call
  const last = call.arguments.length - 1
  return {
    ...call,
    arguments: call.arguments.map((one, index) => {
      const digits = index === last ? /^\d+/.exec(String(one.value))?.[0] : undefined
      return digits === undefined ? one : { ...one, amount: tokenAmount(BigInt(digits), unit) }
    }),
  }
}

/** All digits of an amount of the chain's own currency, or few wei. */
function coinAmount(wei: bigint, symbol: string): string {
  const short = etherText(wei, symbol)
  return short.endsWith(' wei') ? short : `${exactEther(wei)} ${symbol}`
}

export function describeTogether(transactions: readonly { readonly line: string }[]): string {
  return shorten(transactions.map(({ line }) => line).join(', '), MAX_DETAIL)
}

export function chainText(chain: WalletChain | undefined, chainId: Hex): string {
  return `${chain?.chainName} (${BigInt(chainId)})`
}

function titleOf(call: DecodedCall): string {
  return call.function === null ? `Create ${call.contract}` : `Call ${callName(call)}`
}

/** Tells calls of one function apart: the amount, the arguments and the contract. */
function callDetail(call: DecodedCall, recipient: string, amount: string): string {
  const paid = amount.startsWith('0 ') ? '' : `${amount}, `
  const list = shortArguments(call)
  const where = call.function === null ? '' : `at ${recipient}`
  return `${paid}${list}${list === '' || where === '' ? '' : ', '}${where}`
}

function shortArguments({ arguments: list }: DecodedCall): string {
  return list === null ? '…' : shorten(argumentsText(list, shortArgument), MAX_DETAIL)
}

function shortArgument(text: string): string {
  if (text.endsWith(UNLIMITED_NOTE)) return UNLIMITED
  const [, address, name] = /^(0x[0-9a-f]{40})(?: \((.+)\))?$/i.exec(text) ?? []
  if (address === undefined) return shorten(text, MAX_ARGUMENT)
  return name === undefined || name.startsWith('account #') ? shortAddress(address) : name
}

function contractText({ contract, isProxied, isDelegated }: CallNames): string {
  if (contract === null) return ''
  return ` (${contract}${isDelegated ? ', by delegation' : isProxied ? ', behind a proxy' : ''})`
}

function callFields(
  { contract, entry }: CallNames,
  call: DecodedCall | undefined,
  data: Hex,
): RequestSummary['fields'] {
  if (call !== undefined) return [{ label: 'Call', value: callText(call), call }]
  if (contract === null || entry !== undefined || data === '0x') return []
  return [{ label: 'Call', value: `not a function of ${contract}: ${data.slice(0, 10)}` }]
}

function dataText(data: Hex): string {
  if (data.length <= MAX_DATA) return data
  return `${data.slice(0, MAX_DATA)}… (${((data.length - 2) / 2).toLocaleString('en')} bytes in all)`
}

/** Both ends of an address, as the approval page shows it. */
function shortAddress(address: string): string {
  return `${address.slice(0, 8)}…${address.slice(-4)}`
}
