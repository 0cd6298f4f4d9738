import { shorten } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { CallNames } from '../../rpc/naming/contractNames.ts'
import {
  argumentsText,
  callName,
  callText,
  decodeCall,
  UNLIMITED,
} from '../../rpc/naming/decodeCall.ts'
import type { DecodedCall } from '../../rpc/naming/types.ts'
import type { RequestSummary, WalletChain } from '../types.ts'
import { calldata } from './callNames.ts'
import type { Wallet } from './wallet.ts'

/** The part of a transaction that its description shows. */
export interface ShownTransaction {
  readonly to?: Hex | null | undefined
  readonly value?: Hex | null | undefined
  readonly data?: Hex | null | undefined
  readonly input?: Hex | null | undefined
}

/** A transaction in words, for the summary of a request. */
export interface DescribedTransaction {
  readonly title: string
  /** Tells it apart from others with its title. */
  readonly detail: string
  /** Tells it apart from others of one request. */
  readonly line: string
  readonly fields: RequestSummary['fields']
}

/** Longest data that is shown, in characters; the raw request has all of it. */
const MAX_DATA = 514
const MAX_DETAIL = 160
/** Longest argument in a detail, in characters. */
const MAX_ARGUMENT = 40

/**
 * Describes a transaction.
 *
 * @param symbol - of the chain's own currency
 * @param calls - how many transactions the request has
 */
export function describeTransaction(
  wallet: Wallet,
  transaction: ShownTransaction,
  names: CallNames,
  symbol: string,
  calls = 1,
): DescribedTransaction {
  const { to, value } = transaction
  const data = calldata(transaction)
  const call = decodeCall(wallet.describe, names, calls)
  const amount = `${units(BigInt(value ?? '0x0'), 18)} ${symbol}`
  const recipient = to ? shortAddress(wallet.checksum(to)) : 'a new contract'
  // An unknown function, told apart by its selector.
  const selector = data === '0x' || !to ? '' : `, data ${shorten(data, 10)}`
  const payment = `${amount} to ${recipient}${selector}`
  return {
    title: call === undefined ? 'Send a transaction' : titleOf(call),
    detail: call === undefined ? payment : callDetail(call, recipient, amount),
    line: call === undefined ? payment : `${callName(call)}(${shortArguments(call)})`,
    fields: [
      { label: 'To', value: (to ? wallet.describe(to) : 'a new contract') + contractText(names) },
      { label: 'Value', value: amount },
      ...callFields(names, call, data),
      ...(call?.arguments || data === '0x' ? [] : [{ label: 'Data', value: dataText(data) }]),
    ],
  }
}

export function describeTogether(transactions: readonly DescribedTransaction[]): string {
  return shorten(transactions.map(({ line }) => line).join(', '), MAX_DETAIL)
}

export function chainText(chain: WalletChain | undefined, chainId: Hex): string {
  return `${chain?.chainName} (${BigInt(chainId)})`
}

/** Formats an amount without rounding, e.g. wei as ether with 18 `decimals`. */
export function units(amount: bigint, decimals: number): string {
  if (decimals === 0) return String(amount)
  const digits = String(amount).padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  const whole = digits.slice(0, -decimals)
  return fraction === '' ? whole : `${whole}.${fraction}`
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
  if (text.endsWith(`(${UNLIMITED})`)) return UNLIMITED
  const address = /^(0x[0-9a-f]{40})(?: \(account #\d+\))?$/i.exec(text)?.[1]
  return address === undefined ? shorten(text, MAX_ARGUMENT) : shortAddress(address)
}

function contractText({ contract, isProxied }: CallNames): string {
  if (contract === null) return ''
  return ` (${contract}${isProxied ? ', behind a proxy' : ''})`
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
