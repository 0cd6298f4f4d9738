import { hasType } from '../engine/transactionRules.ts'
import { ErrorCode } from '../primitives/errors.ts'
import { toHex } from '../primitives/hex.ts'
import type { BlockContext } from '../protocol/blockContext.ts'
import { maxBlobsPerTransaction, maxCostOf } from '../protocol/fees.ts'
import { type ForkRules, initCodeLimit } from '../protocol/forks.ts'
import { intrinsicCap, intrinsicGas } from '../protocol/gas.ts'
import { MAX_NONCE, type TransactionFields } from '../protocol/transaction.ts'
import type { AccountRecord } from '../state/types.ts'
import { CallRefusedError, CallRejectedError, fundsMissing, SimulationCode } from './callErrors.ts'

/** Lowers the gas limit to the smallest of `limits`; returns `call` itself if it is low enough. */
export function capGas(
  call: TransactionFields,
  ...limits: readonly (bigint | undefined)[]
): TransactionFields {
  let { gasLimit } = call
  for (const limit of limits) if (limit !== undefined && limit < gasLimit) gasLimit = limit
  return gasLimit === call.gasLimit ? call : { ...call, gasLimit }
}

export function isFreeOfGas(call: TransactionFields): boolean {
  return call.maxFeePerGas === 0n && call.maxPriorityFeePerGas === 0n
}

/**
 * Checks a call against the block and its sender's account, in geth's order.
 *
 * @param validation - whether to check the nonce, and the base fee even for a call without fees
 * @throws {CallRefusedError} if a check fails
 */
export function checkCall(
  call: TransactionFields,
  account: AccountRecord | null,
  block: BlockContext,
  rules: ForkRules,
  validation: boolean,
): void {
  if (validation) checkNonce(call, account?.nonce ?? 0n)
  if (rules.baseFee && (validation || !isFreeOfGas(call))) checkFees(call, block)
  if (call.type === 3) checkBlobs(call, block, rules, validation)
  if (call.type === 4) checkAuthorizations(call, rules)
  const limit = initCodeLimit(rules)
  if (call.to === undefined && call.data.length > limit) {
    throw new CallRejectedError(
      `max initcode size exceeded: code size ${call.data.length}, limit ${limit}`,
      SimulationCode.initCodeSize,
    )
  }
  const want = maxCostOf(call)
  const have = account?.balance ?? 0n
  if (have < want) throw fundsMissing(call.from, have, want)
}

function checkNonce(call: TransactionFields, state: bigint): void {
  const { nonce } = call
  const from = toHex(call.from)
  if (nonce !== state) {
    const isHigh = nonce > state
    throw new CallRefusedError(
      `nonce too ${isHigh ? 'high' : 'low'}: address ${from}, tx: ${nonce} state: ${state}`,
      isHigh ? SimulationCode.nonceTooHigh : SimulationCode.nonceTooLow,
    )
  }
  if (nonce === MAX_NONCE) {
    throw new CallRejectedError(`nonce has max value: address ${from}, nonce: ${nonce}`)
  }
}

function checkFees(call: TransactionFields, { baseFeePerGas }: BlockContext): void {
  const { maxFeePerGas: cap, maxPriorityFeePerGas: tip } = call
  const from = toHex(call.from)
  if (tip > cap) {
    throw new CallRejectedError(
      `max priority fee per gas higher than max fee per gas: address ${from}, ` +
        `maxPriorityFeePerGas: ${tip}, maxFeePerGas: ${cap}`,
      ErrorCode.invalidParams,
    )
  }
  if (cap < baseFeePerGas) {
    throw new CallRefusedError(
      `max fee per gas less than block base fee: address ${from}, ` +
        `maxFeePerGas: ${cap}, baseFee: ${baseFeePerGas}`,
      SimulationCode.feeCapTooLow,
    )
  }
}

function checkBlobs(
  call: TransactionFields,
  { blobBaseFee }: BlockContext,
  rules: ForkRules,
  validation: boolean,
): void {
  const { blobVersionedHashes: hashes, maxFeePerBlobGas: cap } = call
  if (rules.blobSchedule === undefined) throw wrongType(call, rules)
  if (call.to === undefined) throw new CallRefusedError('blob transaction of type create')
  if (hashes.length === 0) throw new CallRefusedError('blob transaction missing blob hashes')
  if (hashes.length > maxBlobsPerTransaction(rules))
    throw new CallRefusedError('blob transaction has too many blobs')
  const wrong = hashes.findIndex((hash) => !hash.startsWith('0x01'))
  if (wrong >= 0) throw new CallRefusedError(`blob ${wrong} has invalid hash version`)
  if (!validation && cap === 0n) return
  if (cap < blobBaseFee) {
    throw new CallRefusedError(
      `max fee per blob gas less than block blob gas fee: address ${toHex(call.from)} ` +
        `blobGasFeeCap: ${cap}, blobBaseFee: ${blobBaseFee}`,
    )
  }
}

function checkAuthorizations(call: TransactionFields, rules: ForkRules): void {
  const { authorizationList } = call
  const sender = `(sender ${toHex(call.from)})`
  if (!rules.requests) throw wrongType(call, rules)
  if (call.to === undefined) {
    throw new CallRefusedError(`EIP-7702 transaction cannot be used to create contract ${sender}`)
  }
  if (authorizationList.length === 0) {
    throw new CallRefusedError(`EIP-7702 transaction with empty auth list ${sender}`)
  }
  const wrong = authorizationList.findIndex(([, , , yParity]) => yParity.length > 1)
  if (wrong >= 0) throw new CallRefusedError(`authorization ${wrong} has invalid y parity`)
}

/** The error if the hardfork lacks the transaction type of the call (EIP-2718). */
function wrongType({ type }: TransactionFields, { hardfork }: ForkRules): CallRejectedError {
  return new CallRejectedError(
    `transaction type not supported: type ${type} under hardfork ${hardfork}`,
  )
}

/** Checks the gas limit against intrinsic gas and data floor. */
export function checkIntrinsicGas(call: TransactionFields, rules: ForkRules): void {
  const { gasLimit } = call
  const { intrinsic, floor } = intrinsicGas(call, rules)
  if (gasLimit < intrinsic) {
    throw new CallRefusedError(
      `intrinsic gas too low: have ${gasLimit}, want ${intrinsic}`,
      SimulationCode.intrinsicGas,
    )
  }
  if (gasLimit < floor) {
    throw new CallRefusedError(
      `insufficient gas for floor data gas cost: have ${gasLimit}, want ${floor}`,
      SimulationCode.intrinsicGas,
    )
  }
  const cap = intrinsicCap(rules)
  if (cap !== undefined && Math.max(intrinsic, floor) > cap) {
    throw new CallRejectedError(
      `insufficient gas for floor data gas cost: intrinsic cost ${intrinsic}, floor ${floor}, at most ${cap}`,
    )
  }
}

/** The call, in an older type if the hardfork lacks its type: fees fit several types. */
export function withKnownType(call: TransactionFields, rules: ForkRules): TransactionFields {
  if (call.type === 0 || call.type > 2 || hasType(call.type, rules)) return call
  const isListed = call.accessList.length > 0 && rules.accessLists
  return isListed ? { ...call, type: 1 } : { ...call, type: 0, accessList: [] }
}
