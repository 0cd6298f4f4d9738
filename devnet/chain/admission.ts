import { type DevnetError, RefusedError, RejectedError } from '../primitives/errors.ts'
import { mostGas } from '../protocol/blockGas.ts'
import type { BlockEnvironment } from '../protocol/environment.ts'
import type { ForkRules } from '../protocol/forks.ts'
import { intrinsicCap, intrinsicGas } from '../protocol/gas.ts'
import { mostCost } from '../protocol/rollup/l1Fee.ts'
import { type ChainTransaction, MAX_NONCE } from '../protocol/transaction.ts'
import { EMPTY_CODE_HASH, isDelegation } from '../state/codes.ts'
import type { StateReader } from '../state/types.ts'

/** Refuses a transaction that whoever explains the refusal needs. */
class RefusedTransactionError extends RefusedError {
  // Private, so that it is not printed with the error.
  readonly #transaction: ChainTransaction
  constructor(message: string, transaction: ChainTransaction) {
    super(message)
    this.#transaction = transaction
  }

  get transaction(): ChainTransaction {
    return this.#transaction
  }
}

/** The sender has already used this nonce. The message is geth's, which clients match on. */
export class NonceTooLowError extends RefusedTransactionError {
  override name = 'NonceTooLowError'
  constructor(next: bigint, transaction: ChainTransaction) {
    super(`nonce too low: next nonce ${next}, tx nonce ${transaction.nonce}`, transaction)
  }
}

/** A nonce gap in instant mode. The message is hardhat's, which clients match on. */
export class NonceTooHighError extends RefusedTransactionError {
  override name = 'NonceTooHighError'
  constructor(next: bigint, transaction: ChainTransaction) {
    super(
      `Nonce too high. Expected nonce to be ${next} but got ${transaction.nonce}. Note that transactions can't be queued when automining.`,
      transaction,
    )
  }
}

/** This very transaction is in the mempool, pre-confirmed or sealed already. */
export class AlreadyKnownError extends RefusedTransactionError {
  override name = 'AlreadyKnownError'
  constructor(transaction: ChainTransaction) {
    super('already known', transaction)
  }
}

/** The sender cannot pay for gas and value. The message is geth's. */
export class InsufficientFundsError extends RejectedError {
  override name = 'InsufficientFundsError'
  constructor(balance: bigint, cost: bigint) {
    super(`insufficient funds for gas * price + value: have ${balance} want ${cost}`)
  }
}

/** Another transaction with this nonce is waiting, and the new one does not pay enough more. */
export class ReplacementUnderpricedError extends RefusedTransactionError {
  override name = 'ReplacementUnderpricedError'
  constructor(old: ChainTransaction) {
    super('replacement transaction underpriced', old)
  }
}

/** Conditions for accepting one transaction, in addition to the rules of the chain. */
export interface AdmissionTerms {
  /**
   * Creates the error for a transaction behind a nonce gap, from the next usable nonce. Default:
   * the transaction is accepted and waits in the mempool.
   */
  readonly refuseGap?: (next: bigint, transaction: ChainTransaction) => DevnetError
}

/**
 * Checks whether a transaction can run in the pending block or in a later one.
 *
 * @param minGasPrice - wei; applies only to blocks without a base fee. Default: 0
 * @throws {RefusedError} with geth's messages, in geth's order of checks
 */
export function checkAdmission(
  transaction: ChainTransaction,
  state: StateReader,
  environment: BlockEnvironment,
  minGasPrice = 0n,
): void {
  const { gasLimit, maxFeePerGas, maxFeePerBlobGas, sender } = transaction
  const { baseFeePerGas, blobBaseFee, rules } = environment
  const most = mostGas(environment)
  if (gasLimit > most) {
    const reserve = environment.gasLimit - most
    const kept = reserve === 0n ? '' : `, of which ${reserve} is for the L1 attributes`
    throw new RefusedError(
      `exceeds block gas limit: tx gas ${gasLimit}, block gas limit ${environment.gasLimit}${kept}`,
    )
  }
  // A block includes every deposit; an invalid one then fails.
  if (transaction.deposit !== undefined) return
  if (!rules.baseFee && maxFeePerGas < minGasPrice) {
    // The message is hardhat's.
    throw new RefusedError(
      `Transaction gas price is ${maxFeePerGas}, which is below the minimum of ${minGasPrice}`,
    )
  }
  if (maxFeePerGas < baseFeePerGas) {
    throw new RefusedError(
      `max fee per gas less than block base fee: maxFeePerGas: ${maxFeePerGas}, baseFee: ${baseFeePerGas}`,
    )
  }
  if (transaction.blobGas > 0n && maxFeePerBlobGas < blobBaseFee) {
    throw new RefusedError(
      `max fee per blob gas less than block blob gas fee: maxFeePerBlobGas: ${maxFeePerBlobGas}, blobBaseFee: ${blobBaseFee}`,
    )
  }
  checkGas(transaction, rules)
  const account = state.account(transaction.senderKey)
  const nonce = account?.nonce ?? 0n
  if (transaction.nonce < nonce) throw new NonceTooLowError(nonce, transaction)
  if (transaction.nonce >= MAX_NONCE) throw new RejectedError('nonce has max value')
  if (account !== null && !transaction.impersonated && isContract(account.codeHash, state)) {
    // EIP-3607.
    throw new RejectedError(`sender not an eoa: address ${sender} has code`)
  }
  const balance = account?.balance ?? 0n
  const cost = mostCost(transaction, state)
  if (balance < cost) throw new InsufficientFundsError(balance, cost)
}

/**
 * Checks whether the gas limit covers the intrinsic gas (yellow paper 6.2) and, since Prague, the
 * calldata floor (EIP-7623). A deposit may lack gas: it then fails.
 *
 * @throws {RefusedError}
 */
export function checkGas(transaction: ChainTransaction, rules: ForkRules): void {
  const { deposit, gasLimit } = transaction
  if (deposit !== undefined) return
  const { intrinsic, floor } = intrinsicGas(transaction, rules)
  if (gasLimit < intrinsic) {
    throw new RefusedError(`intrinsic gas too low: gas ${gasLimit}, minimum needed ${intrinsic}`)
  }
  if (gasLimit < floor) {
    throw new RefusedError(
      `insufficient gas for floor data gas cost: gas ${gasLimit}, minimum needed ${floor}`,
    )
  }
  const cap = intrinsicCap(rules)
  if (cap !== undefined && Math.max(intrinsic, floor) > cap) {
    // Up to the colon, the message is geth's.
    throw new RefusedError(
      `insufficient gas for floor data gas cost: intrinsic cost ${intrinsic}, floor ${floor}, at most ${cap}`,
    )
  }
}

/**
 * Checks whether a transaction may replace a waiting one with the same nonce. As in geth, max fee,
 * tip and blob fee must each be at least 10 % higher, or twice as high if the old one has blobs.
 *
 * @param isEasy - whether any higher max fee is enough, as on anvil
 * @throws {ReplacementUnderpricedError}
 */
export function checkReplacement(
  replacement: ChainTransaction,
  old: ChainTransaction,
  isEasy: boolean,
): void {
  if (isEasy) {
    if (replacement.maxFeePerGas <= old.maxFeePerGas) throw new ReplacementUnderpricedError(old)
    return
  }
  const percent = old.blobGas > 0n ? 200n : 110n
  const isEnough = (offer: bigint, price: bigint) => offer * 100n >= price * percent
  if (
    !isEnough(replacement.maxFeePerGas, old.maxFeePerGas) ||
    !isEnough(replacement.maxPriorityFeePerGas, old.maxPriorityFeePerGas) ||
    !isEnough(replacement.maxFeePerBlobGas, old.maxFeePerBlobGas)
  ) {
    throw new ReplacementUnderpricedError(old)
  }
}

/**
 * Returns the error for a transaction that is sealed, pre-confirmed or waiting already. For a
 * sealed one, it says that the nonce is too low, as in geth and EDR; `undefined` if a cheat has
 * lowered the sender's nonce since, so that it can run once more, as on anvil.
 *
 * @param state - state of the pending block
 */
export function knownError(
  transaction: ChainTransaction,
  at: 'sealed' | 'pending' | 'mempool',
  state: StateReader,
): RefusedError | undefined {
  const { deposit, senderKey, nonce } = transaction
  if (at !== 'sealed' || deposit !== undefined) return new AlreadyKnownError(transaction)
  const next = state.account(senderKey)?.nonce ?? 0n
  return nonce < next ? new NonceTooLowError(next, transaction) : undefined
}

/** Reason why a transaction is dropped whose place in the mempool another one has taken. */
export function replacement({ hash }: Pick<ChainTransaction, 'hash'>) {
  return { reason: `replaced by ${hash}, which has the same sender and nonce`, replacedBy: hash }
}

/** True if the account has code other than a delegation (EIP-7702). */
function isContract(codeHash: Uint8Array, state: StateReader): boolean {
  if (codeHash === EMPTY_CODE_HASH) return false
  const code = state.code(codeHash)
  return code.length > 0 && !isDelegation(code)
}
