import type { TypedTransaction } from '@ethereumjs/tx'
import type { BlockContext } from '../engine/types.ts'
import type { UnsignedTransaction } from '../engine/unsignedTransaction.ts'
import { toHex } from '../primitives/hex.ts'
import { GAS_PER_BLOB } from '../protocol/fees.ts'
import type { ForkRules } from '../protocol/forks.ts'
import { MAX_INIT_CODE_SIZE } from '../protocol/gas.ts'
import type { AccountRecord } from '../state/types.ts'
import {
  CallAuthorizationError,
  CallBlobError,
  CallBlobFeeCapError,
  CallFeeCapError,
  CallFundsError,
  CallInitCodeError,
  CallIntrinsicGasError,
  CallNonceMaximumError,
  CallNonceTooHighError,
  CallNonceTooLowError,
  CallTipError,
  CallTypeError,
} from './callErrors.ts'

/** No nonce can follow on this one (EIP-2681). */
export const MAX_NONCE = 2n ** 64n - 1n

/** Blobs of one transaction (EIP-7594). */
const MAX_BLOBS = 6

/** What is held against a call. */
export interface CallRules {
  readonly rules: ForkRules
  /** Whether the nonce must be the account's, and a call without fees is held against the base fee. */
  readonly validation: boolean
}

/** Whether the sender pays nothing for gas, whatever the block asks. */
export function isFreeOfGas(call: UnsignedTransaction): boolean {
  return call.maxFeePerGas === 0n && call.maxPriorityFeePerGas === 0n
}

/**
 * Holds a call against the block and its sender's account, in geth's order of checks.
 *
 * @throws {CallRefusedError}
 */
export function checkCall(
  call: UnsignedTransaction,
  account: AccountRecord | null,
  block: BlockContext,
  { rules, validation }: CallRules,
): void {
  if (validation) checkNonce(call, account?.nonce ?? 0n)
  if (rules.baseFee && (validation || !isFreeOfGas(call))) checkFees(call, block)
  if (call.type === 3) checkBlobs(call, block, { rules, validation })
  if (call.type === 4) checkAuthorizations(call, rules)
  if (call.to === undefined && rules.withdrawals && call.data.length > MAX_INIT_CODE_SIZE) {
    throw new CallInitCodeError(call.data.length, MAX_INIT_CODE_SIZE)
  }
  const blobGas = BigInt(call.blobVersionedHashes.length) * GAS_PER_BLOB
  const want = call.value + call.gasLimit * call.maxFeePerGas + blobGas * call.maxFeePerBlobGas
  const have = account?.balance ?? 0n
  if (have < want) throw new CallFundsError(toHex(call.from), have, want)
}

function checkNonce({ from, nonce }: UnsignedTransaction, state: bigint): void {
  if (nonce > state) throw new CallNonceTooHighError(toHex(from), nonce, state)
  if (nonce < state) throw new CallNonceTooLowError(toHex(from), nonce, state)
  if (nonce === MAX_NONCE) throw new CallNonceMaximumError(toHex(from), nonce)
}

function checkFees(call: UnsignedTransaction, block: BlockContext): void {
  const { from, maxFeePerGas, maxPriorityFeePerGas } = call
  if (maxPriorityFeePerGas > maxFeePerGas) {
    throw new CallTipError(toHex(from), maxPriorityFeePerGas, maxFeePerGas)
  }
  if (maxFeePerGas < block.baseFeePerGas) {
    throw new CallFeeCapError(toHex(from), maxFeePerGas, block.baseFeePerGas)
  }
}

function checkBlobs(
  call: UnsignedTransaction,
  block: BlockContext,
  { rules, validation }: CallRules,
): void {
  const { blobVersionedHashes: hashes, maxFeePerBlobGas } = call
  if (rules.blobSchedule === undefined) throw new CallTypeError(call.type, rules.hardfork)
  if (call.to === undefined) throw new CallBlobError('blob transaction of type create')
  if (hashes.length === 0) throw new CallBlobError('blob transaction missing blob hashes')
  const most = rules.transactionGasCap === undefined ? Number(rules.blobSchedule.max) : MAX_BLOBS
  if (hashes.length > most) throw new CallBlobError('blob transaction has too many blobs')
  const wrong = hashes.findIndex((hash) => !hash.startsWith('0x01'))
  if (wrong >= 0) throw new CallBlobError(`blob ${wrong} has invalid hash version`)
  if (!validation && maxFeePerBlobGas === 0n) return
  if (maxFeePerBlobGas < block.blobBaseFee) {
    throw new CallBlobFeeCapError(toHex(call.from), maxFeePerBlobGas, block.blobBaseFee)
  }
}

function checkAuthorizations(call: UnsignedTransaction, rules: ForkRules): void {
  const sender = `(sender ${toHex(call.from)})`
  if (!rules.requests) throw new CallTypeError(call.type, rules.hardfork)
  if (call.to === undefined) {
    throw new CallAuthorizationError(
      `EIP-7702 transaction cannot be used to create contract ${sender}`,
    )
  }
  if (call.authorizationList.length === 0) {
    throw new CallAuthorizationError(`EIP-7702 transaction with empty auth list ${sender}`)
  }
  const wrong = call.authorizationList.findIndex(([, , , yParity]) => yParity.length > 1)
  if (wrong >= 0) throw new CallAuthorizationError(`authorization ${wrong} has invalid y parity`)
}

/**
 * Whether the gas pays for what a call costs before it runs.
 *
 * @throws {CallIntrinsicGasError}
 */
export function checkIntrinsicGas(tx: TypedTransaction): void {
  const { gasLimit } = tx
  const intrinsic = tx.getIntrinsicGas()
  if (gasLimit < intrinsic) throw new CallIntrinsicGasError(gasLimit, intrinsic, 'intrinsic')
  const floor = tx.getMinimumGasLimit()
  if (gasLimit < floor) throw new CallIntrinsicGasError(gasLimit, floor, 'floor')
}
