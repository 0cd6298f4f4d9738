import type { Hex } from '../../primitives/hex.ts'
import type { RequestSummary, WalletChain } from '../types.ts'
import type { Wallet } from './wallet.ts'

/** The part of a transaction that its description shows. */
export interface ShownTransaction {
  readonly to?: Hex | null | undefined
  readonly value?: Hex | null | undefined
  readonly data?: Hex | null | undefined
  readonly input?: Hex | null | undefined
}

/** Describes a transaction for the summary of a request. */
export function transactionFields(
  wallet: Wallet,
  { to, value, data, input }: ShownTransaction,
  symbol: string,
): RequestSummary['fields'] {
  const code = input ?? data ?? '0x'
  return [
    { label: 'To', value: to ? wallet.describe(to) : 'a new contract' },
    { label: 'Value', value: amountText(value, symbol) },
    ...(code === '0x' ? [] : [{ label: 'Data', value: code }]),
  ]
}

/** A transaction in a few words, e.g. `1 ETH to 0x709979…79C8`. */
export function transactionDetail(
  wallet: Wallet,
  { to, value }: ShownTransaction,
  symbol: string,
): string {
  return `${amountText(value, symbol)} to ${to ? shortAddress(wallet.checksum(to)) : 'a new contract'}`
}

/** A chain for the summary of a request. */
export function chainText(chain: WalletChain | undefined, chainId: Hex): string {
  return `${chain?.chainName} (${BigInt(chainId)})`
}

/** Both ends of an address, as the approval page shows it. */
function shortAddress(address: Hex): string {
  return `${address.slice(0, 8)}…${address.slice(-4)}`
}

function amountText(value: Hex | null | undefined, symbol: string): string {
  return `${units(BigInt(value ?? '0x0'), 18)} ${symbol}`
}

/** Formats an amount without rounding, e.g. wei as ether with 18 `decimals`. */
export function units(amount: bigint, decimals: number): string {
  if (decimals === 0) return String(amount)
  const digits = String(amount).padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  const whole = digits.slice(0, -decimals)
  return fraction === '' ? whole : `${whole}.${fraction}`
}
