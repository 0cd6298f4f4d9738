import { type Input, RLP } from '@ethereumjs/rlp'
import type { Hex } from '../types.ts'
import type { Crypto } from './crypto.ts'

/** A transaction of one of the five types, before it is signed. All amounts in wei. */
export interface UnsignedTransaction {
  /** 0 legacy, 1 EIP-2930, 2 EIP-1559, 3 EIP-4844, 4 EIP-7702. */
  readonly type: number
  readonly chainId: bigint
  readonly nonce: bigint
  readonly gasLimit: bigint
  /** `undefined` creates a contract. */
  readonly to: Hex | undefined
  readonly value: bigint
  readonly data: Uint8Array
  /** The gas price of types 0 and 1. */
  readonly maxFeePerGas: bigint
  /** Types 0 and 1 have none. */
  readonly maxPriorityFeePerGas: bigint
  /** Type 3 only. */
  readonly maxFeePerBlobGas: bigint
  /** From type 1 on. */
  readonly accessList: readonly { readonly address: Hex; readonly storageKeys: readonly Hex[] }[]
  /** Type 3 only. */
  readonly blobVersionedHashes: readonly Hex[]
  /** Type 4 only. */
  readonly authorizationList: readonly {
    readonly chainId: bigint
    readonly address: Hex
    readonly nonce: bigint
    readonly yParity: bigint
    readonly r: bigint
    readonly s: bigint
  }[]
}

/**
 * Signs a transaction; answers its EIP-2718 bytes. Made of RLP alone: the library's transactions would load the EVM.
 *
 * @param privateKey - 32 bytes
 */
export function signTransaction(
  transaction: UnsignedTransaction,
  privateKey: Uint8Array,
  crypto: Pick<Crypto, 'keccak256' | 'sign'>,
): Uint8Array {
  const { type, chainId } = transaction
  const fields = fieldsOf(transaction)
  // EIP-155: a legacy transaction is signed with the chain id behind its fields.
  const message = encode(type, type === 0 ? [...fields, chainId, 0n, 0n] : fields)
  const { signature, recoveryId } = crypto.sign(crypto.keccak256(message), privateKey)
  const parity = BigInt(recoveryId)
  const v = type === 0 ? parity + 35n + 2n * chainId : parity
  return encode(type, [...fields, v, toBigInt(signature, 0), toBigInt(signature, 32)])
}

function fieldsOf(transaction: UnsignedTransaction): Input[] {
  const { type, chainId, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = transaction
  const target = [transaction.to ?? null, transaction.value, transaction.data]
  if (type === 0) return [nonce, maxFeePerGas, gasLimit, ...target]
  const accessList = transaction.accessList.map(({ address, storageKeys }) => [
    address,
    [...storageKeys],
  ])
  if (type === 1) return [chainId, nonce, maxFeePerGas, gasLimit, ...target, accessList]
  const fields = [chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, ...target]
  switch (type) {
    case 2:
      return [...fields, accessList]
    case 3:
      return [
        ...fields,
        accessList,
        transaction.maxFeePerBlobGas,
        [...transaction.blobVersionedHashes],
      ]
    case 4:
      return [
        ...fields,
        accessList,
        transaction.authorizationList.map((one) => [
          one.chainId,
          one.address,
          one.nonce,
          one.yParity,
          one.r,
          one.s,
        ]),
      ]
    default:
      throw new Error(`Transactions of type ${type} cannot be signed`)
  }
}

function encode(type: number, fields: Input[]): Uint8Array {
  const payload = RLP.encode(fields)
  if (type === 0) return payload
  const bytes = new Uint8Array(payload.length + 1)
  bytes[0] = type
  bytes.set(payload, 1)
  return bytes
}

/** The 32 bytes from `start`. */
function toBigInt(bytes: Uint8Array, start: number): bigint {
  return BigInt(`0x${Buffer.from(bytes.subarray(start, start + 32)).toString('hex')}`)
}
