import { createHash } from 'node:crypto'
import { type NestedUint8Array, RLP } from '@ethereumjs/rlp'
import { createTxFromRLP, type TypedTransaction } from '@ethereumjs/tx'
import { Address } from '@ethereumjs/util'
import { bytesToBigInt, concatBytes } from '../primitives/bytes.ts'
import { InvalidParamsError, RefusedError } from '../primitives/errors.ts'
import type { ForkRules } from '../protocol/forks.ts'
import { MAX_INIT_CODE_SIZE } from '../protocol/gas.ts'
import { type Crypto, recoverAddress } from './crypto.ts'
import { libraryReason } from './executionResult.ts'
import type { FixedCommon } from './fixedCommon.ts'
import { readSignedMessage, type SignedMessage } from './signedMessage.ts'

type Decoded = Uint8Array | NestedUint8Array

/** A signed transaction whose sender has not been recovered yet. */
export interface SignedTransaction {
  readonly tx: TypedTransaction
  /** EIP-2718 bytes, without a blob sidecar. */
  readonly raw: Uint8Array
  /** 32 bytes. */
  readonly hash: Uint8Array
  readonly message: SignedMessage
}

/** A decoded transaction with its sender. */
export interface DecodedTransaction extends Omit<SignedTransaction, 'message'> {
  /** 20 bytes. */
  readonly sender: Uint8Array
  /** Whether the sender did not sign the transaction and may have code. Default: false. */
  readonly impersonated?: boolean | undefined
}

/** The bytes are not a transaction: code -32602. */
class UndecodableTransactionError extends InvalidParamsError {
  override name = 'UndecodableTransactionError'
}

/** The signature does not belong to any key, or breaks a rule of the hardfork (EIP-2, EIP-155). */
class InvalidSenderError extends RefusedError {
  override name = 'InvalidSenderError'
  constructor(problem = 'the signature is not valid', cause?: unknown) {
    super(`invalid sender: ${problem}`, { cause })
  }
}

/**
 * Decodes a signed transaction, but does not recover its sender.
 *
 * @param bytes - EIP-2718 bytes, as in a block: without a blob sidecar
 * @throws {UndecodableTransactionError}
 * @throws {RefusedError} if the transaction breaks a rule of the chain; with geth's message
 */
export function decodeTransaction(
  bytes: Uint8Array,
  common: FixedCommon,
  rules: ForkRules,
  crypto: Crypto,
): SignedTransaction {
  let tx: TypedTransaction
  try {
    // Not frozen: the sender is set later.
    tx = createTxFromRLP(bytes, { common, freeze: false })
  } catch (error) {
    throw explain(bytes, error, common.chainId(), rules)
  }
  const { v, r, s } = tx
  if (v === undefined || r === undefined || s === undefined) {
    throw new UndecodableTransactionError('transaction is not signed')
  }
  // The library checks this for typed transactions; for legacy ones only if it recovers the sender.
  if (s > HALF_CURVE_ORDER && rules.lowSignatures) throw new InvalidSenderError()
  if (v >= 35n && !rules.replayProtection) throw earlyReplayProtection()
  cacheDataGas(tx, common)
  const message = readSignedMessage(tx, bytes, parity(v, common.chainId()), crypto)
  return { tx, raw: bytes, hash: crypto.keccak256(bytes), message }
}

/** Caches the data gas, which the library would compute three times per run, in bigints. */
function cacheDataGas({ data, to, cache }: TypedTransaction, common: FixedCommon): void {
  let zeros = 0
  for (const byte of data) if (byte === 0) zeros++
  let value =
    BigInt(zeros) * common.param('txDataZeroGas') +
    BigInt(data.length - zeros) * common.param('txDataNonZeroGas')
  if (to === undefined && common.isActivatedEIP(3860)) {
    value += BigInt(Math.ceil(data.length / 32)) * common.param('initCodeWordGas')
  }
  cache.dataFee = { value, hardfork: common.hardfork() }
}

/** The 20-byte address that signed the message. @throws {InvalidSenderError} */
export function recoverSender(message: SignedMessage, crypto: Crypto): Uint8Array {
  try {
    return recoverAddress(crypto, message.hash, message.signature, message.recoveryId)
  } catch (error) {
    throw new InvalidSenderError(undefined, error)
  }
}

/** Completes a decoded transaction with its sender. */
export function withSender(signed: SignedTransaction, sender: Uint8Array): DecodedTransaction {
  const { tx, raw, hash } = signed
  impersonate(tx, sender)
  return { tx, raw, hash, sender }
}

/** Makes the library use this sender instead of recovering one from the signature. */
export function impersonate(tx: TypedTransaction, sender: Uint8Array): void {
  const address = new Address(sender)
  tx.getSenderAddress = () => address
}

function parity(v: bigint, chainId: bigint): number {
  if (v < 27n) return Number(v)
  return Number(v < 35n ? v - 27n : v - 35n - 2n * chainId)
}

/** The highest s of a valid signature (EIP-2). */
export const HALF_CURVE_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** Number of fields of a signed transaction, by type; 0 is legacy. */
const FIELD_COUNTS = [9, 11, 12, 14, 13]

/** Indexes of the gas limit and of the calldata among a transaction's fields, by type. */
const GAS_FIELD = [2, 3, 4, 4, 4]
const DATA_FIELD = [5, 6, 7, 7, 7]

/** The error to throw for an error of the library, with geth's message if geth has one. */
function explain(bytes: Uint8Array, error: unknown, chainId: bigint, rules: ForkRules): Error {
  const first = bytes[0] ?? 0xff
  const typed = first < 0x80
  const type = typed ? first : 0
  if (typed && (type > 4 || type === 0)) return unsupportedType(type, rules)
  let decoded: Decoded[]
  try {
    const item: Decoded = RLP.decode(typed ? bytes.subarray(1) : bytes)
    if (!Array.isArray(item)) throw new Error('not a list')
    decoded = item
  } catch (cause) {
    return invalidRlp(cause)
  }
  if (!hasType(type, rules)) return unsupportedType(type, rules)
  if (type === 3 && Array.isArray(decoded[0])) {
    return new UndecodableTransactionError(
      'a blob transaction in a block must not have its sidecar',
    )
  }
  const wrong = new UndecodableTransactionError(`invalid transaction: ${libraryReason(error)}`, {
    cause: error,
  })
  if (decoded.length !== FIELD_COUNTS[type]) return wrong
  const fields = decoded.map(quantity)
  const isProtected = !typed && eip155ChainId(fields[6]) !== undefined
  if (isProtected && !rules.replayProtection) return earlyReplayProtection()
  const have = typed ? fields[0] : eip155ChainId(fields[6])
  if (have !== undefined && have !== chainId) {
    return new RefusedError(`invalid chain id for signer: have ${have} want ${chainId}`)
  }
  const gas = fields[GAS_FIELD[type] ?? 0] ?? 0n
  const gasCap = rules.transactionGasCap
  if (gasCap !== undefined && gas > gasCap) {
    return new RefusedError(`transaction gas limit too high (cap: ${gasCap}, tx: ${gas})`)
  }
  const [, , tip = 0n, cap = 0n] = fields
  if (type >= 2 && tip > cap) {
    return new RefusedError(
      `max priority fee per gas higher than max fee per gas: maxPriorityFeePerGas: ${tip}, maxFeePerGas: ${cap}`,
    )
  }
  const dataField = DATA_FIELD[type] ?? 0
  const creates = decoded[dataField - 2]?.length === 0
  const size = decoded[dataField]?.length ?? 0
  if (rules.withdrawals && creates && size > MAX_INIT_CODE_SIZE) {
    return new RefusedError(
      `max initcode size exceeded: code size ${size}, limit ${MAX_INIT_CODE_SIZE}`,
    )
  }
  return wrong
}

function earlyReplayProtection(): InvalidSenderError {
  return new InvalidSenderError(
    'a signature that names its chain (EIP-155) is not valid before Spurious Dragon; ' +
      'sign without a chain id',
  )
}

function invalidRlp(cause: unknown): UndecodableTransactionError {
  const reason = libraryReason(cause)
  return new UndecodableTransactionError(`transaction is not valid RLP: ${reason}`, { cause })
}

function unsupportedType(type: number, { hardfork }: ForkRules): RefusedError {
  return new RefusedError(`transaction type not supported: type ${type} under hardfork ${hardfork}`)
}

function hasType(type: number, rules: ForkRules): boolean {
  const since = [true, rules.accessLists, rules.baseFee, rules.blobs, rules.requests]
  return since[type] === true
}

/** The number in an integer field; 0 for other fields, which callers ignore. */
function quantity(field: Decoded): bigint {
  return field instanceof Uint8Array && field.length <= 32 ? bytesToBigInt(field) : 0n
}

function eip155ChainId(v: bigint | undefined): bigint | undefined {
  return v === undefined || v < 35n ? undefined : (v - 35n) / 2n
}

/**
 * The EIP-2718 bytes of a transaction that may come with its blob sidecar (EIP-4844, EIP-7594), as
 * `0x03 || rlp([transaction, (version,) blobs, commitments, proofs])`. Checks the commitments
 * against the versioned hashes, but not the KZG proofs.
 *
 * @throws {UndecodableTransactionError}
 * @throws {RefusedError} if a blob or commitment does not belong to the transaction
 */
export function withoutSidecar(raw: Uint8Array): Uint8Array {
  if (raw[0] !== 3) return raw
  let decoded: Decoded
  try {
    decoded = RLP.decode(raw.subarray(1))
  } catch (cause) {
    throw invalidRlp(cause)
  }
  if (!Array.isArray(decoded) || !Array.isArray(decoded[0])) return raw
  const payload = decoded[0]
  const lists = decoded.slice(decoded[1] instanceof Uint8Array ? 2 : 1)
  const [blobs, commitments] = lists
  const hashes = payload[10]
  if (!Array.isArray(blobs) || !Array.isArray(commitments) || !Array.isArray(hashes)) {
    throw new UndecodableTransactionError('blob sidecar is malformed')
  }
  if (blobs.length !== hashes.length || commitments.length !== hashes.length) {
    throw new RefusedError(
      `blob sidecar has ${blobs.length} blobs and ${commitments.length} commitments for ${hashes.length} hashes`,
    )
  }
  for (const [index, commitment] of commitments.entries()) {
    const hash = hashes[index]
    if (!(commitment instanceof Uint8Array) || !(hash instanceof Uint8Array)) {
      throw new UndecodableTransactionError('blob sidecar is malformed')
    }
    const digest = createHash('sha256').update(commitment).digest()
    digest[0] = 1
    if (!digest.equals(hash)) {
      throw new RefusedError(`blob ${index} does not belong to its versioned hash`)
    }
  }
  return concatBytes(Uint8Array.of(3), RLP.encode(payload))
}
