import type { TypedTransaction } from '@ethereumjs/tx'
import type { DecodedTransaction } from '../engine/decodeTransaction.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { addressKey } from '../state/keys.ts'
import type { AddressKey } from '../state/types.ts'
import { GAS_PER_BLOB } from './fees.ts'

/** An account's highest nonce: it can send nothing more, as no nonce can follow (EIP-2681). */
export const MAX_NONCE = 2n ** 64n - 1n

/** An accepted transaction, with its frequently read fields. Immutable. */
export interface ChainTransaction {
  readonly hash: Hex
  /** EIP-2718 bytes, without a blob sidecar. */
  readonly raw: Uint8Array
  /** 0 legacy, 1 EIP-2930, 2 EIP-1559, 3 EIP-4844, 4 EIP-7702. */
  readonly type: number
  readonly tx: TypedTransaction
  readonly sender: Hex
  /** Whether the sender did not sign it; the sender may then have code. */
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
  /** wei that the sender must own: value, and all gas and blob gas at the maximum fees. */
  readonly maxCost: bigint
}

/** Reads the frequently used fields of a decoded transaction once. */
export function toChainTransaction(decoded: DecodedTransaction): ChainTransaction {
  const { tx } = decoded
  const maxFeePerGas = 'maxFeePerGas' in tx ? tx.maxFeePerGas : tx.gasPrice
  const blobs = 'blobVersionedHashes' in tx ? BigInt(tx.blobVersionedHashes.length) : 0n
  const maxFeePerBlobGas = 'maxFeePerBlobGas' in tx ? tx.maxFeePerBlobGas : 0n
  const blobGas = blobs * GAS_PER_BLOB
  return {
    tx,
    raw: decoded.raw,
    type: tx.type,
    hash: toHex(decoded.hash),
    sender: toHex(decoded.sender),
    impersonated: decoded.impersonated === true,
    senderKey: addressKey(decoded.sender),
    nonce: tx.nonce,
    gasLimit: tx.gasLimit,
    value: tx.value,
    maxFeePerGas,
    maxPriorityFeePerGas: 'maxPriorityFeePerGas' in tx ? tx.maxPriorityFeePerGas : maxFeePerGas,
    maxFeePerBlobGas,
    blobGas,
    maxCost: tx.value + tx.gasLimit * maxFeePerGas + blobGas * maxFeePerBlobGas,
  }
}

/** The price that the sender pays per gas, in wei (EIP-1559). */
export function effectiveGasPrice(transaction: ChainTransaction, baseFee: bigint): bigint {
  const price = baseFee + transaction.maxPriorityFeePerGas
  return price < transaction.maxFeePerGas ? price : transaction.maxFeePerGas
}

/** What the fee recipient gets per gas, in wei; negative if the base fee exceeds the max fee. */
export function effectiveTip(transaction: ChainTransaction, baseFee: bigint): bigint {
  return effectiveGasPrice(transaction, baseFee) - baseFee
}
