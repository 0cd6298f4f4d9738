import * as z from 'zod'
import type { Hex } from '../../primitives/hex.ts'
import type { RequestSummary } from '../types.ts'
import { WalletParamsError } from './walletErrors.ts'
import { account, must, refuse } from './walletParams.ts'

const QUANTITY = /^0x[0-9a-f]{1,64}$/i
const BYTES = /^0x(?:[0-9a-f]{2})*$/i

/** A number as a quantity, as it came. */
export function quantity(): z.ZodType<Hex> {
  return QUANTITY_SCHEMA
}

/** Bytes in hexadecimal, as they came. */
export function bytes(): z.ZodType<Hex> {
  return BYTES_SCHEMA
}

const QUANTITY_SCHEMA = matching(QUANTITY, 'a quantity in hexadecimal, such as 0x1')
const BYTES_SCHEMA = matching(BYTES, 'bytes in hexadecimal')

function matching(pattern: RegExp, what: string): z.ZodType<Hex> {
  return z.string(must(what)).transform((text, context): Hex => {
    // The pattern holds the form.
    return pattern.test(text) ? (text as Hex) : refuse(context, 'format', what)
  })
}

/** A transaction that a page wants to be sent; fields that the wallet does not look at go on to the node, which does. */
export const TRANSACTION = z.looseObject(
  {
    from: account().nullish(),
    to: account().nullish(),
    value: quantity().nullish(),
    data: bytes().nullish(),
    input: bytes().nullish(),
    gas: quantity().nullish(),
    nonce: quantity().nullish(),
    chainId: quantity().nullish(),
  },
  must('a transaction'),
)

export type Transaction = z.output<typeof TRANSACTION>

/** The wallet signs for the active chain and no other. @throws {WalletParamsError} */
export function checkChain(given: Hex | null | undefined, active: Hex, field: string): void {
  if (given === null || given === undefined || BigInt(given) === BigInt(active)) return
  throw new WalletParamsError(
    field,
    'chain-mismatch',
    `the active chain (${active}): switch to the other with wallet_switchEthereumChain first`,
    given,
  )
}

/** The lines of a person's summary that say what a transaction does. */
export function transactionFields(
  { to, value, data, input }: Pick<Transaction, 'to' | 'value' | 'data' | 'input'>,
  symbol: string,
): RequestSummary['fields'] {
  const code = input ?? data ?? '0x'
  return [
    { label: 'To', value: to ?? 'a new contract' },
    { label: 'Value', value: `${ether(BigInt(value ?? '0x0'))} ${symbol}` },
    ...(code === '0x' ? [] : [{ label: 'Data', value: code }]),
  ]
}

/** All digits of an amount in wei. */
function ether(wei: bigint): string {
  const digits = String(wei).padStart(19, '0')
  const fraction = digits.slice(-18).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, -18) : `${digits.slice(0, -18)}.${fraction}`
}
