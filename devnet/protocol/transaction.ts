import type { TypedTransaction } from '@ethereumjs/tx'
import type { Hex } from '../primitives/hex.ts'
import type { AddressKey } from '../state/types.ts'

/** The last nonce: no other can follow it (EIP-2681). */
export const MAX_NONCE = 2n ** 64n - 1n

/** A transaction that was accepted, with what is asked of it again and again. Immutable. */
export interface ChainTransaction {
  readonly hash: Hex
  /** EIP-2718 bytes, without a blob sidecar. */
  readonly raw: Uint8Array
  /** 0 legacy, 1 EIP-2930, 2 EIP-1559, 3 EIP-4844, 4 EIP-7702. */
  readonly type: number
  readonly tx: TypedTransaction
  readonly sender: Hex
  /** The sender did not sign it, and may have code. */
  readonly impersonated: boolean
  readonly senderKey: AddressKey
  readonly nonce: bigint
  readonly gasLimit: bigint
  readonly value: bigint
  /** wei; the gas price of a legacy transaction. */
  readonly maxFeePerGas: bigint
  /** wei; the gas price of a legacy transaction. */
  readonly maxPriorityFeePerGas: bigint
  /** wei; 0 without blobs. */
  readonly maxFeePerBlobGas: bigint
  readonly blobGas: bigint
  /** wei that the sender must own: value and all gas at the highest price. */
  readonly maxCost: bigint
}

/** What the sender pays for a unit of gas, in wei (EIP-1559). */
export function effectiveGasPrice(transaction: ChainTransaction, baseFee: bigint): bigint {
  const price = baseFee + transaction.maxPriorityFeePerGas
  return price < transaction.maxFeePerGas ? price : transaction.maxFeePerGas
}

/** What of it the fee recipient gets, in wei; negative where the cap is below the base fee. */
export function effectiveTip(transaction: ChainTransaction, baseFee: bigint): bigint {
  return effectiveGasPrice(transaction, baseFee) - baseFee
}
