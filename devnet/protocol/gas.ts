import { sameBytes } from '../primitives/bytes.ts'
import type { ForkRules } from './forks.ts'
import type { TransactionFields } from './transaction.ts'

/** Gas that a call with value gives the callee; SSTORE needs more than this left (EIP-2200). */
export const CALL_STIPEND = 2300n

/** Gas per 32-byte word that is copied (yellow paper, appendix G). */
export const COPY_WORD_GAS = 3

/** Total gas for a memory of `words` 32-byte words, in all hardforks (yellow paper, appendix G). */
export function memoryGas(words: number): number {
  return words * 3 + Math.floor((words * words) / 512)
}

/** State gas per byte of state that is created, from Amsterdam on (EIP-8037). */
const STATE_BYTE_GAS = 1530

/** Of an account that did not exist. */
export const ACCOUNT_STATE_GAS = 120 * STATE_BYTE_GAS

/** Of a slot that was zero. */
export const SLOT_STATE_GAS = 64 * STATE_BYTE_GAS

/** Of a delegation that an account did not have (EIP-7702). */
export const DELEGATION_STATE_GAS = 23 * STATE_BYTE_GAS

/** Per byte of deployed code. */
export const CODE_BYTE_STATE_GAS = STATE_BYTE_GAS

/** Gas of every transaction, and all gas of a plain transfer (yellow paper, appendix G). */
const TRANSACTION_GAS = 21_000

const CREATION_GAS = 32_000
const ZERO_BYTE_GAS = 4
/** Of a byte that is not zero (EIP-2028). */
const CALLDATA_BYTE_GAS = 16
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
export function intrinsicGas(fields: PaidFields, rules: ForkRules): IntrinsicGas {
  if (rules.stateGas) return amsterdamGas(fields)
  const { to, data, accessList, authorizationList } = fields
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

/** The fields that decide the intrinsic gas. */
type PaidFields = Pick<
  TransactionFields,
  'from' | 'to' | 'value' | 'data' | 'accessList' | 'authorizationList'
>

/**
 * The most that intrinsic gas and data floor can be: execution gas is capped from Amsterdam on
 * (EIP-8037). Before, the gas limit is, and this is `undefined`.
 */
export function intrinsicCap({ stateGas, transactionGasCap }: ForkRules): bigint | undefined {
  return stateGas ? transactionGasCap : undefined
}

/** The least intrinsic gas: from Amsterdam on, that of a transaction to oneself (EIP-2780). */
export function leastGas({ stateGas }: ForkRules): number {
  return stateGas ? BASE_GAS : TRANSACTION_GAS
}

// From Amsterdam on, the parts of a transaction are paid for one by one (EIP-2780).

/** Recovery of the sender, its account, and the place in the block. */
const BASE_GAS = 12_000
/** Of the recipient's account (EIP-8038), whether it is warm or not. */
const RECIPIENT_GAS = 3000
/** Of the recipient's new balance and the log of the transfer. */
const VALUE_GAS = 6000
/** Of the account of a contract (EIP-8038). */
const CREATE_ACCESS_GAS = 12_000
/** Per authorization (EIP-8037). */
const AUTHORIZATION_BASE_GAS = 7816
/** Per byte of the data floor, and of access lists: 4 tokens of 16 gas (EIP-7976, EIP-7981). */
const FLOOR_BYTE_GAS = 64
/** EIP-8038. */
const LISTED_COLD_ADDRESS_GAS = 2900
const LISTED_COLD_SLOT_GAS = 2000

function amsterdamGas(fields: PaidFields): IntrinsicGas {
  const { to, data, accessList, authorizationList } = fields
  const base = BASE_GAS + recipientGas(fields)
  const nonZero = nonZeroBytes(data)
  let intrinsic = base + (data.length - nonZero) * ZERO_BYTE_GAS + nonZero * CALLDATA_BYTE_GAS
  if (to === undefined) intrinsic += Math.ceil(data.length / 32) * INIT_CODE_WORD_GAS
  let listed = 0
  for (const [, slots] of accessList) {
    intrinsic += LISTED_COLD_ADDRESS_GAS + slots.length * LISTED_COLD_SLOT_GAS
    listed += 20 + slots.length * 32
  }
  intrinsic += listed * FLOOR_BYTE_GAS + authorizationList.length * AUTHORIZATION_BASE_GAS
  return { intrinsic, floor: base + (data.length + listed) * FLOOR_BYTE_GAS }
}

function recipientGas({ from, to, value }: PaidFields): number {
  if (to === undefined) return CREATE_ACCESS_GAS
  if (sameBytes(from, to)) return 0
  return value > 0n ? RECIPIENT_GAS + VALUE_GAS : RECIPIENT_GAS
}

function nonZeroBytes(data: Uint8Array): number {
  let count = 0
  for (let index = 0; index < data.length; index++) if (data[index] !== 0) count++
  return count
}
