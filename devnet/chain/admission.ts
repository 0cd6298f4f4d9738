import type { DecodedTransaction } from '../engine/decodeTransaction.ts'
import { DevnetError, ErrorCode, RefusedError } from '../primitives/errors.ts'
import { quantity, toHex } from '../primitives/hex.ts'
import type { BlockEnvironment } from '../protocol/environment.ts'
import { GAS_PER_BLOB } from '../protocol/fees.ts'
import type { ForkRules } from '../protocol/forks.ts'
import type { ChainTransaction } from '../protocol/transaction.ts'
import { EMPTY_CODE_HASH, isDelegation } from '../state/codes.ts'
import { addressKey } from '../state/keys.ts'
import type { StateReader } from '../state/types.ts'

/** The sender has used this nonce up (geth's words, as clients match on them). */
export class NonceTooLowError extends RefusedError {
  override name = 'NonceTooLowError'
  constructor(next: bigint, nonce: bigint) {
    super(`nonce too low: next nonce ${next}, tx nonce ${nonce}`)
  }
}

/** Transactions before this one are missing, and it may not wait for them: code 6 with the next nonce (EIP-7966). */
export class NonceGapError extends DevnetError {
  override name = 'NonceGapError'
  constructor(next: bigint) {
    super(
      ErrorCode.nonceGap,
      `The transaction was rejected due to a nonce gap. Please resubmit with the next nonce, ${next}`,
      { data: quantity(next) },
    )
  }
}

/** Transactions before this one are missing, and instant mode lets none wait for them (hardhat's words, as its clients match on them). */
export class NonceTooHighError extends RefusedError {
  override name = 'NonceTooHighError'
  constructor(next: bigint, nonce: bigint) {
    super(
      `Nonce too high. Expected nonce to be ${next} but got ${nonce}. Note that transactions can't be queued when automining.`,
    )
  }
}

/** No nonce can follow on 2^64 - 1 (EIP-2681). */
export class NonceMaximumError extends RefusedError {
  override name = 'NonceMaximumError'
  constructor() {
    super('nonce has max value')
  }
}

/** The sender cannot pay for the value and all gas at the highest price. */
export class InsufficientFundsError extends RefusedError {
  override name = 'InsufficientFundsError'
  constructor(have: bigint, want: bigint) {
    super(`insufficient funds for gas * price + value: have ${have} want ${want}`)
  }
}

/** The gas does not pay for the transaction's bytes (yellow paper 6.2). */
export class IntrinsicGasError extends RefusedError {
  override name = 'IntrinsicGasError'
  constructor(gas: bigint, minimum: bigint) {
    super(`intrinsic gas too low: gas ${gas}, minimum needed ${minimum}`)
  }
}

/** The gas does not pay for the floor of the call data (EIP-7623). */
export class FloorGasError extends RefusedError {
  override name = 'FloorGasError'
  constructor(gas: bigint, minimum: bigint) {
    super(`insufficient gas for floor data gas cost: gas ${gas}, minimum needed ${minimum}`)
  }
}

/** No block can hold the transaction. */
export class ExceedsBlockGasLimitError extends RefusedError {
  override name = 'ExceedsBlockGasLimitError'
  constructor(gas: bigint, limit: bigint) {
    super(`exceeds block gas limit: tx gas ${gas}, block gas limit ${limit}`)
  }
}

/** The fee cap is below the base fee of the pending block (EIP-1559). */
export class FeeCapTooLowError extends RefusedError {
  override name = 'FeeCapTooLowError'
  constructor(cap: bigint, baseFee: bigint) {
    super(`max fee per gas less than block base fee: maxFeePerGas: ${cap}, baseFee: ${baseFee}`)
  }
}

/** The gas price is below what `hardhat_setMinGasPrice` asked for, before London (hardhat's words). */
export class GasPriceTooLowError extends RefusedError {
  override name = 'GasPriceTooLowError'
  constructor(price: bigint, minimum: bigint) {
    super(`Transaction gas price is ${price}, which is below the minimum of ${minimum}`)
  }
}

/** The blob fee cap is below the price of blob gas in the pending block (EIP-4844). */
export class BlobFeeCapTooLowError extends RefusedError {
  override name = 'BlobFeeCapTooLowError'
  constructor(cap: bigint, price: bigint) {
    super(
      `max fee per blob gas less than block blob gas fee: maxFeePerBlobGas: ${cap}, blobBaseFee: ${price}`,
    )
  }
}

/** The sender is a contract (EIP-3607). */
export class SenderNotEoaError extends RefusedError {
  override name = 'SenderNotEoaError'
  constructor(sender: string) {
    super(`sender not an eoa: address ${sender} has code`)
  }
}

/** Puts what is asked of a transaction again and again beside it. */
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

/**
 * Holds a transaction against the pending block: what passes can run in it or in a later one.
 *
 * @param minGasPrice - wei; where blocks have no base fee. Default: 0
 * @throws {RefusedError} one of the classes above, in geth's order of checks
 */
export function checkAdmission(
  transaction: ChainTransaction,
  state: StateReader,
  environment: BlockEnvironment,
  minGasPrice = 0n,
): void {
  const { gasLimit } = transaction
  if (gasLimit > environment.gasLimit) {
    throw new ExceedsBlockGasLimitError(gasLimit, environment.gasLimit)
  }
  if (!environment.rules.baseFee && transaction.maxFeePerGas < minGasPrice) {
    throw new GasPriceTooLowError(transaction.maxFeePerGas, minGasPrice)
  }
  if (transaction.maxFeePerGas < environment.baseFeePerGas) {
    throw new FeeCapTooLowError(transaction.maxFeePerGas, environment.baseFeePerGas)
  }
  if (transaction.blobGas > 0n && transaction.maxFeePerBlobGas < environment.blobBaseFee) {
    throw new BlobFeeCapTooLowError(transaction.maxFeePerBlobGas, environment.blobBaseFee)
  }
  checkGas(transaction, environment.rules)
  const account = state.account(transaction.senderKey)
  const nonce = account?.nonce ?? 0n
  if (transaction.nonce < nonce) throw new NonceTooLowError(nonce, transaction.nonce)
  if (transaction.nonce >= 2n ** 64n - 1n) throw new NonceMaximumError()
  if (account !== null && !transaction.impersonated && isContract(account.codeHash, state)) {
    throw new SenderNotEoaError(transaction.sender)
  }
  const balance = account?.balance ?? 0n
  if (balance < transaction.maxCost) {
    throw new InsufficientFundsError(balance, transaction.maxCost)
  }
}

/**
 * Whether the gas pays for what a transaction costs before it runs.
 *
 * @throws {RefusedError} {@link IntrinsicGasError}, {@link FloorGasError}
 */
export function checkGas({ tx, gasLimit }: ChainTransaction, rules: ForkRules): void {
  const intrinsic = tx.getIntrinsicGas()
  if (gasLimit < intrinsic) throw new IntrinsicGasError(gasLimit, intrinsic)
  if (!rules.requests) return
  const floor = tx.getMinimumGasLimit()
  if (gasLimit < floor) throw new FloorGasError(gasLimit, floor)
}

/** Whether the account has code other than a delegation (EIP-7702). */
function isContract(codeHash: Uint8Array, state: StateReader): boolean {
  if (codeHash === EMPTY_CODE_HASH) return false
  const code = state.code(codeHash)
  return code.length > 0 && !isDelegation(code)
}
