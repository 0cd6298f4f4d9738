import { bigIntToBytes } from '../primitives/bytes.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { type Moment, UNKNOWN_MOMENT } from '../primitives/moment.ts'
import { RecentItems, recentNumber } from '../primitives/recentItems.ts'
import { encodeRlpList } from '../primitives/rlp.ts'
import { addressKey } from '../state/keys.ts'
import type { AddressKey, Keccak256 } from '../state/types.ts'
import { blobGasOf } from './fees.ts'
import type { ForkRules } from './forks.ts'
import type { DEPOSIT_TYPE, DepositFields } from './rollup/depositTransaction.ts'

/** An account's highest nonce: it can send nothing more, as no nonce can follow (EIP-2681). */
export const MAX_NONCE = 2n ** 64n - 1n

export interface TransactionFields {
  /** 0 legacy, 1 EIP-2930, 2 EIP-1559, 3 EIP-4844, 4 EIP-7702, 126 a deposit of the OP Stack. */
  readonly type: 0 | 1 | 2 | 3 | 4 | typeof DEPOSIT_TYPE
  /** 20 bytes. */
  readonly from: Uint8Array
  /** 20 bytes; `undefined` creates a contract. */
  readonly to: Uint8Array | undefined
  readonly nonce: bigint
  readonly gasLimit: bigint
  /** wei. */
  readonly value: bigint
  readonly data: Uint8Array
  /** wei; the gas price of types 0 and 1. */
  readonly maxFeePerGas: bigint
  /** wei; the gas price of types 0 and 1. */
  readonly maxPriorityFeePerGas: bigint
  /** Addresses of 20 bytes, each with its slots of 32 bytes; empty for type 0. */
  readonly accessList: AccessList
  /** wei; 0 without blobs. */
  readonly maxFeePerBlobGas: bigint
  /** 32 bytes each; only in type 3. */
  readonly blobVersionedHashes: readonly Hex[]
  /** Only in type 4. */
  readonly authorizationList: readonly AuthorizationFields[]
  /** Only in a deposit, whose `nonce` is that of its sender when it is executed; before, 0. */
  readonly deposit?: DepositFields | undefined
  /**
   * Length of the signed bytes as FastLZ compresses them, from which the L1 fee follows. Only in a
   * signed transaction of an OP Stack chain; calls have none, and pay no such fee.
   */
  readonly compressedLength?: number | undefined
}

export type AccessList = readonly (readonly [address: Uint8Array, slots: readonly Uint8Array[]])[]

/** An authorization of EIP-7702: a 20-byte address, and integers without leading zeros. */
export type AuthorizationFields = readonly [
  chainId: Uint8Array,
  address: Uint8Array,
  nonce: Uint8Array,
  yParity: Uint8Array,
  r: Uint8Array,
  s: Uint8Array,
]

export interface DecodedTransaction {
  readonly fields: TransactionFields
  /** EIP-2718 bytes, without a blob sidecar. */
  readonly raw: Uint8Array
  /** 32 bytes. */
  readonly hash: Uint8Array
  /** Chain that the signature is bound to; `undefined` if it is not bound to one (EIP-155). */
  readonly chainId: bigint | undefined
  /** Rules under which it was decoded. */
  readonly rules: ForkRules
  /** True if the sender did not sign the transaction and may have code. Default: false. */
  readonly impersonated?: boolean | undefined
}

/** An accepted transaction, with what is often asked of it. Immutable. */
export interface ChainTransaction
  extends TransactionFields,
    Pick<DecodedTransaction, 'raw' | 'chainId' | 'rules'> {
  readonly hash: Hex
  readonly sender: Hex
  /** True if the sender did not sign it; the sender may then have code. */
  readonly impersonated: boolean
  readonly senderKey: AddressKey
  readonly blobGas: bigint
  /** wei that the sender must own: value, and all gas and blob gas at the maximum fees. */
  readonly maxCost: bigint
  /** The moment at which this node decoded it to admit it. */
  readonly acceptedAt: Moment
}

/** Recent senders, in the forms in which transactions hold them. */
const senders = new RecentItems((bytes) => ({
  bytes,
  hex: toHex(bytes),
  key: addressKey(bytes),
}))

/** Recent recipients, most of them contracts. */
const recipients = new RecentItems((bytes) => ({ bytes }))

/**
 * Computes once what is often asked of a decoded transaction.
 *
 * @param acceptedAt - Default: unknown
 */
export function toChainTransaction(
  decoded: DecodedTransaction,
  acceptedAt: Moment = UNKNOWN_MOMENT,
): ChainTransaction {
  const { fields } = decoded
  const sender = senders.of(fields.from)
  const blobGas = blobGasOf(fields)
  // Not by spreading, which would take two objects to hold the properties.
  const transaction = {
    type: fields.type,
    from: sender.bytes,
    to: fields.to && recipients.of(fields.to).bytes,
    nonce: fields.nonce,
    gasLimit: recentNumber(fields.gasLimit),
    value: fields.value,
    data: fields.data,
    maxFeePerGas: recentNumber(fields.maxFeePerGas),
    maxPriorityFeePerGas: recentNumber(fields.maxPriorityFeePerGas),
    accessList: fields.accessList,
    maxFeePerBlobGas: fields.maxFeePerBlobGas,
    blobVersionedHashes: fields.blobVersionedHashes,
    authorizationList: fields.authorizationList,
    hash: toHex(decoded.hash),
    raw: decoded.raw,
    chainId: decoded.chainId,
    rules: decoded.rules,
    sender: sender.hex,
    impersonated: decoded.impersonated === true,
    senderKey: sender.key,
    blobGas,
    maxCost:
      fields.value + fields.gasLimit * fields.maxFeePerGas + blobGas * fields.maxFeePerBlobGas,
    acceptedAt,
  }
  if (!decoded.rules.opStack) return transaction
  const { compressedLength, deposit } = fields
  return { ...transaction, compressedLength, deposit }
}

/** Address of the contract that an account creates with this nonce (yellow paper, section 7). */
export function createdAddress(
  { from, nonce }: Pick<TransactionFields, 'from' | 'nonce'>,
  keccak256: Keccak256,
): Uint8Array {
  return keccak256(encodeRlpList([from, bigIntToBytes(nonce)])).slice(12)
}

/** The price that the sender pays per gas, in wei (EIP-1559). */
export function effectiveGasPrice(
  transaction: Pick<TransactionFields, 'maxFeePerGas' | 'maxPriorityFeePerGas'>,
  baseFee: bigint,
): bigint {
  const price = baseFee + transaction.maxPriorityFeePerGas
  return price < transaction.maxFeePerGas ? price : transaction.maxFeePerGas
}

/**
 * Price that the fee recipient gets per gas, in wei; negative if the base fee exceeds the max fee.
 */
export function effectiveTip(transaction: ChainTransaction, baseFee: bigint): bigint {
  return effectiveGasPrice(transaction, baseFee) - baseFee
}
