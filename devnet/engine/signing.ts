import { type Input, RLP } from '@ethereumjs/rlp'
import { bytesToBigInt, concatBytes, readWord } from '../primitives/bytes.ts'
import type { TransactionFields } from '../protocol/transaction.ts'
import type { Crypto } from './crypto.ts'

/**
 * Signs a transaction; returns its EIP-2718 bytes. Uses only RLP, because the library's
 * transactions would load the EVM.
 *
 * @param chainId - `undefined` for a legacy transaction without a chain id (before EIP-155)
 * @param privateKey - 32 bytes
 */
export function signTransaction(
  transaction: TransactionFields,
  chainId: bigint | undefined,
  privateKey: Uint8Array,
  crypto: Pick<Crypto, 'keccak256' | 'sign'>,
): Uint8Array {
  const { type } = transaction
  const fields = fieldsOf(transaction, chainId)
  // EIP-155: the signed fields of a legacy transaction end with the chain id and two zeros.
  const replayProtected = type === 0 && chainId !== undefined
  const message = encode(type, replayProtected ? [...fields, chainId, 0n, 0n] : fields)
  const { signature, recoveryId } = crypto.sign(crypto.keccak256(message), privateKey)
  const v = vOf(type, BigInt(recoveryId), chainId)
  return encode(type, [...fields, v, readWord(signature, 0), readWord(signature, 32)])
}

/** Used for r and s instead of the zero address, because a signature must not be zero. */
const ZERO_SENDER = 2n ** 160n

/**
 * The EIP-2718 bytes of a transaction that its sender did not sign. r and s are the sender's
 * address, as in Hardhat's node, so hashes are the same as there, and differ between senders.
 *
 * @param chainId - as in {@link signTransaction}
 */
export function impersonateTransaction(
  transaction: TransactionFields,
  chainId: bigint | undefined,
): Uint8Array {
  const { type, from } = transaction
  const sender = bytesToBigInt(from)
  const part = sender === 0n ? ZERO_SENDER : sender
  return encode(type, [...fieldsOf(transaction, chainId), vOf(type, 1n, chainId), part, part])
}

/**
 * The EIP-2718 bytes of a transaction that nobody signed: its signature is zero.
 *
 * @param chainId - of a typed transaction; a legacy one is bound to no chain
 */
export function encodeUnsigned(transaction: TransactionFields, chainId: bigint): Uint8Array {
  return encode(transaction.type, [...fieldsOf(transaction, chainId), 0n, 0n, 0n])
}

function vOf(type: number, parity: bigint, chainId: bigint | undefined): bigint {
  if (type !== 0) return parity
  return parity + (chainId === undefined ? 27n : 35n + 2n * chainId)
}

function fieldsOf(transaction: TransactionFields, chainId = 0n): Input[] {
  const { type, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = transaction
  const action = [transaction.to, transaction.value, transaction.data]
  if (type === 0) return [nonce, maxFeePerGas, gasLimit, ...action]
  const accessList = transaction.accessList.map(([address, slots]) => [address, [...slots]])
  if (type === 1) return [chainId, nonce, maxFeePerGas, gasLimit, ...action, accessList]
  const fees = [maxPriorityFeePerGas, maxFeePerGas]
  const fields = [chainId, nonce, ...fees, gasLimit, ...action, accessList]
  if (type === 2) return fields
  if (type === 4) return [...fields, transaction.authorizationList.map((item) => [...item])]
  return [...fields, transaction.maxFeePerBlobGas, [...transaction.blobVersionedHashes]]
}

function encode(type: number, fields: Input[]): Uint8Array {
  const payload = RLP.encode(fields)
  return type === 0 ? payload : concatBytes(Uint8Array.of(type), payload)
}
