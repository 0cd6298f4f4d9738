import {
  createAccessList2930Tx,
  createBlob4844Tx,
  createEOACode7702Tx,
  createFeeMarket1559Tx,
  createLegacyTx,
  type TypedTransaction,
} from '@ethereumjs/tx'
import { Address } from '@ethereumjs/util'
import type { ForkRules } from '../../protocol/forks.ts'
import { type IntrinsicGas, intrinsicGas } from '../../protocol/gas.ts'
import { DEPOSIT_TYPE } from '../../protocol/rollup/depositTransaction.ts'
import type { TransactionFields } from '../../protocol/transaction.ts'
import type { FixedCommon } from './fixedCommon.ts'

/** A transaction in the library's form, with what the library would compute slowly. */
export interface LibraryTransaction extends IntrinsicGas {
  readonly tx: TypedTransaction
}

/**
 * Converts a transaction to the library's form, with `fields.from` as its sender. The signature is
 * zero: the library does not execute a transaction without one.
 *
 * @throws {Error} if the fields do not fit the transaction type
 */
export function libraryTransaction(
  fields: TransactionFields,
  common: FixedCommon,
  rules: ForkRules,
): LibraryTransaction {
  const tx = build(fields, common)
  const sender = new Address(fields.from)
  tx.getSenderAddress = () => sender
  const gas = intrinsicGas(fields, rules)
  const intrinsic = BigInt(gas.intrinsic)
  // The library would compute it three times per run, in bigints.
  tx.getIntrinsicGas = () => intrinsic
  // Set afterwards, because constructors refuse gas above EIP-7825's cap, the highest nonce and a
  // zero signature, all of which calls may have.
  const { gasLimit, nonce } = fields
  return { tx: Object.assign(tx, { gasLimit, nonce, v: 0n, r: 0n, s: 0n }), ...gas }
}

function build(fields: TransactionFields, common: FixedCommon): TypedTransaction {
  const { type, value, data, maxFeePerGas, maxPriorityFeePerGas } = fields
  const options = { common, freeze: false }
  const base = { value, data, ...(fields.to === undefined ? {} : { to: fields.to }) }
  // The library does not know deposits, which are executed as messages at no price.
  if (type === 0 || type === DEPOSIT_TYPE) {
    return createLegacyTx({ ...base, gasPrice: maxFeePerGas }, options)
  }
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
  const authorizationList = fields.authorizationList.map((item): Mutable<typeof item> => [...item])
  return createEOACode7702Tx({ ...paid, authorizationList }, options)
}

/** The library types its lists as mutable. */
type Mutable<Tuple> = { -readonly [Index in keyof Tuple]: Tuple[Index] }
