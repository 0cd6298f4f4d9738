import {
  createAccessList2930Tx,
  createBlob4844Tx,
  createEOACode7702Tx,
  createFeeMarket1559Tx,
  createLegacyTx,
  type TypedTransaction,
} from '@ethereumjs/tx'
import { impersonate } from './decodeTransaction.ts'
import type { FixedCommon } from './fixedCommon.ts'

/** All fields of a transaction without its signature. */
export interface UnsignedTransaction {
  /** 0 legacy, 1 EIP-2930, 2 EIP-1559, 3 EIP-4844, 4 EIP-7702. */
  readonly type: 0 | 1 | 2 | 3 | 4
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
  /** Addresses of 20 bytes, each with its slots of 32 bytes; not used by type 0. */
  readonly accessList: readonly (readonly [Uint8Array, readonly Uint8Array[]])[]
  /** wei; 0 without blobs. */
  readonly maxFeePerBlobGas: bigint
  readonly blobVersionedHashes: readonly `0x${string}`[]
  /** Chain id, address, nonce, y parity, r and s, without leading zeros. */
  readonly authorizationList: readonly AuthorizationFields[]
}

export type AuthorizationFields = readonly [
  chainId: Uint8Array,
  address: Uint8Array,
  nonce: Uint8Array,
  yParity: Uint8Array,
  r: Uint8Array,
  s: Uint8Array,
]

/**
 * Converts a transaction to the library's form, with `fields.from` as its sender. The signature is
 * zero, so that the transaction has an encoding and a hash.
 */
export function buildUnsigned(fields: UnsignedTransaction, common: FixedCommon): TypedTransaction {
  const tx = build(fields, common)
  impersonate(tx, fields.from)
  // Set afterwards, because constructors refuse gas above EIP-7825's cap, the highest nonce and a
  // zero signature, all of which calls may have.
  const { gasLimit, nonce } = fields
  return Object.assign(tx, { gasLimit, nonce, v: 0n, r: 0n, s: 0n })
}

/** The transaction's type, or an older type if the hardfork lacks this one. */
function typeUnder(fields: UnsignedTransaction, common: FixedCommon): UnsignedTransaction['type'] {
  const { type } = fields
  if (type === 0 || type > 2) return type
  if (type === 2 && common.isActivatedEIP(1559)) return 2
  const hasList = type === 1 || fields.accessList.length > 0
  return hasList && common.isActivatedEIP(2930) ? 1 : 0
}

function build(fields: UnsignedTransaction, common: FixedCommon): TypedTransaction {
  const { value, data, maxFeePerGas, maxPriorityFeePerGas } = fields
  const type = typeUnder(fields, common)
  const options = { common, freeze: false }
  const base = { value, data, ...(fields.to === undefined ? {} : { to: fields.to }) }
  if (type === 0) return createLegacyTx({ ...base, gasPrice: maxFeePerGas }, options)
  const accessList = fields.accessList.map(([address, slots]): [Uint8Array, Uint8Array[]] => [
    address,
    [...slots],
  ])
  if (type === 1) {
    return createAccessList2930Tx({ ...base, accessList, gasPrice: maxFeePerGas }, options)
  }
  const paid = { ...base, accessList, maxFeePerGas, maxPriorityFeePerGas }
  if (type === 2) return createFeeMarket1559Tx(paid, options)
  if (type === 3) {
    const { maxFeePerBlobGas, blobVersionedHashes } = fields
    return createBlob4844Tx(
      { ...paid, maxFeePerBlobGas, blobVersionedHashes: [...blobVersionedHashes] },
      options,
    )
  }
  const authorizationList = fields.authorizationList.map(
    (item): Mutable<AuthorizationFields> => [...item],
  )
  return createEOACode7702Tx({ ...paid, authorizationList }, options)
}

/** The library types its lists as mutable. */
type Mutable<Tuple> = { -readonly [Index in keyof Tuple]: Tuple[Index] }
