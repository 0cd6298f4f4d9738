import type { ForkRules } from './forks.ts'
import type { TransactionFields } from './transaction.ts'

/** Gas of every transaction, and all gas of a plain transfer (yellow paper, appendix G). */
export const TRANSACTION_GAS = 21_000

const CREATION_GAS = 32_000
const ZERO_BYTE_GAS = 4
/** Per 32-byte word of init code (EIP-3860). */
const INIT_CODE_WORD_GAS = 2
/** EIP-2930. */
const LISTED_ADDRESS_GAS = 2400
const LISTED_SLOT_GAS = 1900
/** Per authorization, as if its account did not exist yet (EIP-7702). */
const AUTHORIZATION_GAS = 25_000
/** Per token of the data floor (EIP-7623). */
const FLOOR_TOKEN_GAS = 10
/** Tokens of a byte of calldata that is not zero, whose zero bytes count one each (EIP-7623). */
const NONZERO_TOKENS = 4

/** Gas that a transaction pays before any code runs, and the least that it pays in the end. */
export interface IntrinsicGas {
  /** For the transaction itself, its data and its lists. */
  readonly intrinsic: number
  /** Minimum of the gas used, which the data sets (EIP-7623); 0 before Prague. */
  readonly floor: number
}

/** The intrinsic gas of a transaction under `rules`, and its data floor. */
export function intrinsicGas(
  { to, data, accessList, authorizationList }: TransactionFields,
  rules: ForkRules,
): IntrinsicGas {
  const nonZero = nonZeroBytes(data)
  const zeros = data.length - nonZero
  let intrinsic = TRANSACTION_GAS + zeros * ZERO_BYTE_GAS + nonZero * rules.calldataByteGas
  if (to === undefined && rules.lowSignatures) intrinsic += CREATION_GAS
  if (to === undefined && rules.withdrawals) {
    intrinsic += Math.ceil(data.length / 32) * INIT_CODE_WORD_GAS
  }
  for (const [, slots] of accessList) {
    intrinsic += LISTED_ADDRESS_GAS + slots.length * LISTED_SLOT_GAS
  }
  intrinsic += authorizationList.length * AUTHORIZATION_GAS
  const floor = rules.requests
    ? TRANSACTION_GAS + (zeros + nonZero * NONZERO_TOKENS) * FLOOR_TOKEN_GAS
    : 0
  return { intrinsic, floor }
}

function nonZeroBytes(data: Uint8Array): number {
  let count = 0
  for (let index = 0; index < data.length; index++) if (data[index] !== 0) count++
  return count
}
