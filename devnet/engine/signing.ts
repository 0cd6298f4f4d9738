import {
  bigIntToBytes,
  bytesToBigInt,
  EMPTY_BYTES,
  withoutLeadingZeros,
} from '../primitives/bytes.ts'
import { fromHex, type Hex, quantity } from '../primitives/hex.ts'
import { encodeRlp, type RlpInput } from '../primitives/rlp.ts'
import type { TransactionFields } from '../protocol/transaction.ts'
import type { Crypto } from './crypto.ts'

/**
 * Signs a transaction; returns its EIP-2718 bytes. Not by the library, whose
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
  const bound = replayProtected ? [bigIntToBytes(chainId), EMPTY_BYTES, EMPTY_BYTES] : []
  const message = encode(type, [...fields, ...bound])
  const { signature, recoveryId } = crypto.sign(crypto.keccak256(message), privateKey)
  const v = vOf(type, BigInt(recoveryId), chainId)
  const r = withoutLeadingZeros(signature.subarray(0, 32))
  const s = withoutLeadingZeros(signature.subarray(32))
  return encode(type, [...fields, v, r, s])
}

/** First byte of what an authority signs (EIP-7702). */
const AUTHORIZATION_MAGIC = 0x05

/** Signs an authorization (EIP-7702); returns it in the form of JSON-RPC. */
export function signAuthorization(
  { chainId, address, nonce }: { chainId: number; address: Hex; nonce: bigint },
  privateKey: Uint8Array,
  crypto: Pick<Crypto, 'keccak256' | 'sign'>,
): Readonly<Record<string, Hex>> {
  const fields = [bigIntToBytes(BigInt(chainId)), fromHex(address), bigIntToBytes(nonce)]
  const message = encodeRlp(fields, AUTHORIZATION_MAGIC)
  const { signature, recoveryId } = crypto.sign(crypto.keccak256(message), privateKey)
  return {
    chainId: quantity(chainId),
    address,
    nonce: quantity(nonce),
    yParity: quantity(recoveryId),
    r: quantity(bytesToBigInt(signature.subarray(0, 32))),
    s: quantity(bytesToBigInt(signature.subarray(32))),
  }
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
  const part = bigIntToBytes(sender === 0n ? ZERO_SENDER : sender)
  return encode(type, [...fieldsOf(transaction, chainId), vOf(type, 1n, chainId), part, part])
}

/**
 * The EIP-2718 bytes of a transaction that nobody signed: its signature is zero.
 *
 * @param chainId - of a typed transaction; a legacy one is bound to no chain
 */
export function encodeUnsigned(transaction: TransactionFields, chainId: bigint): Uint8Array {
  const signature = [EMPTY_BYTES, EMPTY_BYTES, EMPTY_BYTES]
  return encode(transaction.type, [...fieldsOf(transaction, chainId), ...signature])
}

function vOf(type: number, parity: bigint, chainId: bigint | undefined): Uint8Array {
  if (type !== 0) return bigIntToBytes(parity)
  return bigIntToBytes(parity + (chainId === undefined ? 27n : 35n + 2n * chainId))
}

function fieldsOf(transaction: TransactionFields, chainId = 0n): RlpInput[] {
  const { type, to = EMPTY_BYTES, data } = transaction
  const nonce = bigIntToBytes(transaction.nonce)
  const gasLimit = bigIntToBytes(transaction.gasLimit)
  const value = bigIntToBytes(transaction.value)
  const fee = bigIntToBytes(transaction.maxFeePerGas)
  if (type === 0) return [nonce, fee, gasLimit, to, value, data]
  const chain = bigIntToBytes(chainId)
  const { accessList } = transaction
  if (type === 1) return [chain, nonce, fee, gasLimit, to, value, data, accessList]
  const tip = bigIntToBytes(transaction.maxPriorityFeePerGas)
  const fields = [chain, nonce, tip, fee, gasLimit, to, value, data, accessList]
  if (type === 2) return fields
  if (type === 4) return [...fields, transaction.authorizationList]
  const blobFee = bigIntToBytes(transaction.maxFeePerBlobGas)
  return [...fields, blobFee, transaction.blobVersionedHashes.map(fromHex)]
}

function encode(type: number, fields: readonly RlpInput[]): Uint8Array {
  return encodeRlp(fields, type === 0 ? undefined : type)
}
