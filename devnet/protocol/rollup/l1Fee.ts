import { bytesToBigInt, padTo32 } from '../../primitives/bytes.ts'
import { addressKeyFromHex, slotKeyFromBigInt } from '../../state/keys.ts'
import type { AddressKey, SlotKey, StateReader } from '../../state/types.ts'
import type { ChainTransaction } from '../transaction.ts'

// Fees of the OP Stack: https://specs.optimism.io/protocol/exec-engine.html, in the form that they
// have since Fjord (L1 fee) and Isthmus (operator fee).

/** Key of the contract that holds what the chain knows of L1. */
export const L1_BLOCK_KEY = addressKeyFromHex('0x4200000000000000000000000000000000000015')

/** Keys of the accounts that earn the fees besides the block's fee recipient. */
export const VAULTS = {
  baseFee: addressKeyFromHex('0x4200000000000000000000000000000000000019'),
  l1Fee: addressKeyFromHex('0x420000000000000000000000000000000000001a'),
  operatorFee: addressKeyFromHex('0x420000000000000000000000000000000000001b'),
} as const

const BASE_FEE_SLOT = slotKeyFromBigInt(1n)
const SCALARS_SLOT = slotKeyFromBigInt(3n)
const BLOB_BASE_FEE_SLOT = slotKeyFromBigInt(7n)
const OPERATOR_FEE_SLOT = slotKeyFromBigInt(8n)

/** The slots from which the fees follow. */
export const L1_FEE_SLOTS: readonly (readonly [AddressKey, SlotKey])[] = [
  BASE_FEE_SLOT,
  SCALARS_SLOT,
  BLOB_BASE_FEE_SLOT,
  OPERATOR_FEE_SLOT,
].map((slot) => [L1_BLOCK_KEY, slot])

/** The terms that the fees of a transaction follow from, besides the transaction. */
export type L1FeeTerms = Readonly<ReturnType<typeof l1FeeTerms>>

/** wei that a transaction pays for its place on L1, and the gas that it is counted as there. */
export function l1Fee(terms: L1FeeTerms, compressedLength: number): Omit<L1Charge, 'terms'> {
  const estimate = INTERCEPT + SLOPE * BigInt(compressedLength)
  const length = estimate > LEAST_LENGTH ? estimate : LEAST_LENGTH
  const price =
    terms.baseFeeScalar * terms.baseFee * CALLDATA_GAS + terms.blobBaseFeeScalar * terms.blobBaseFee
  return {
    fee: (length * price) / (MILLION * MILLION),
    gasUsed: (length * CALLDATA_GAS) / MILLION,
  }
}

/** The terms that a state holds; all 0 without the contract. */
export function l1FeeTerms(state: StateReader) {
  const scalars = wordAt(SCALARS_SLOT, state)
  const operator = wordAt(OPERATOR_FEE_SLOT, state)
  return {
    /** wei per gas on L1. */
    baseFee: bytesToBigInt(wordAt(BASE_FEE_SLOT, state)),
    /** wei per blob gas on L1. */
    blobBaseFee: bytesToBigInt(wordAt(BLOB_BASE_FEE_SLOT, state)),
    /** Millionths, as the next. */
    baseFeeScalar: bytesToBigInt(scalars.subarray(16, 20)),
    blobBaseFeeScalar: bytesToBigInt(scalars.subarray(20, 24)),
    /** Millionths of a wei per gas. */
    operatorFeeScalar: bytesToBigInt(operator.subarray(20, 24)),
    /** wei per transaction. */
    operatorFeeConstant: bytesToBigInt(operator.subarray(24)),
  }
}

function wordAt(slot: SlotKey, state: StateReader): Uint8Array {
  return padTo32(state.slot(L1_BLOCK_KEY, slot))
}

const MILLION = 1_000_000n

/** Estimated length of a batched transaction, in millionths of a byte: a linear regression. */
const INTERCEPT = -42_585_600n
const SLOPE = 836_500n
const LEAST_LENGTH = 100n * MILLION

/** Gas per byte of calldata on L1 (EIP-2028). */
const CALLDATA_GAS = 16n

/** wei that the operator of the chain earns by a transaction of this much gas. */
export function operatorFee(terms: L1FeeTerms, gas: bigint): bigint {
  return (gas * terms.operatorFeeScalar) / MILLION + terms.operatorFeeConstant
}

/** wei that the sender of a transaction must own, what it may pay for L1 included. */
export function mostCost(
  transaction: Pick<ChainTransaction, 'compressedLength' | 'gasLimit' | 'maxCost'>,
  state: StateReader,
): bigint {
  const { compressedLength, gasLimit, maxCost } = transaction
  if (compressedLength === undefined) return maxCost
  const terms = l1FeeTerms(state)
  return maxCost + l1Fee(terms, compressedLength).fee + operatorFee(terms, gasLimit)
}

/** Payment of a transaction for L1. */
export interface L1Charge {
  readonly terms: L1FeeTerms
  /** wei. */
  readonly fee: bigint
  readonly gasUsed: bigint
}
