import type { TypedTransaction } from '@ethereumjs/tx'
import type { Chain } from '../chain/chain.ts'
import type { ConsoleCalls } from '../engine/consoleCalls.ts'
import type { BlockContext, CallExecution, CallOptions } from '../engine/types.ts'
import type { UnsignedTransaction } from '../engine/unsignedTransaction.ts'
import type { DevnetError } from '../primitives/errors.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../state/codes.ts'
import { addressKey } from '../state/keys.ts'
import { type CallRules, checkCall, checkIntrinsicGas, isFreeOfGas } from './callChecks.ts'
import { ExecutionHaltedError, ExecutionRevertedError } from './callErrors.ts'
import { callTransaction } from './callTransaction.ts'
import type { ExecutionTarget } from './executionTarget.ts'
import { type Failure, failureMessage, isRevert } from './failureMessage.ts'
import { type ExecutionLimits, type MachineLease, withMachine } from './machineLease.ts'
import { applyStateOverrides, overrideBlock, overrideBlockHashes } from './overrides.ts'
import type { BlockOverrides, CallRequest, StateOverrides } from './types.ts'

/** Gets what a call printed; `undefined` for nothing. */
export type PrintListener = (printed: ConsoleCalls | undefined, request: CallRequest) => void

/** What changes a call or an estimate, and what bounds it. */
export interface CallParameters extends ExecutionLimits {
  readonly stateOverrides?: StateOverrides | undefined
  readonly blockOverrides?: BlockOverrides | undefined
  /** Most gas that it gets; a request for more is cut to it. */
  readonly gasCap: bigint
  /** Gets what is printed with `console.log`, also where the call fails. */
  readonly onPrint?: PrintListener | undefined
}

/**
 * Executes a call and commits nothing, as `eth_call` does: neither the nonce nor EIP-3607 nor EIP-7825 is applied, and a
 * call without fees runs with a base fee of 0.
 *
 * @throws {ExecutionRevertedError} where the code reverts
 * @throws {ExecutionHaltedError} where it fails otherwise
 * @throws {CallRefusedError} where no block could hold the call
 * @throws {ExecutionAbortedError} where a limit ends it
 */
export async function call(
  chain: Chain,
  target: ExecutionTarget,
  request: CallRequest,
  parameters: CallParameters,
): Promise<{ readonly returnData: Hex }> {
  const { chainId, schedule } = chain.engine
  const { blockOverrides, stateOverrides, gasCap } = parameters
  const wanted = callTransaction(request, { gasLimit: gasCap, nonce: 0n, chainId })
  const transaction = wanted.gasLimit > gasCap ? { ...wanted, gasLimit: gasCap } : wanted
  const block = freeBlock(overrideBlock(target.block, blockOverrides), transaction)
  const blockHashes = overrideBlockHashes(target.blockHashes, blockOverrides?.blockHash)
  const rules = schedule.at(block.number, block.timestamp)
  return withMachine(chain.engine, rules, target.state, blockHashes, parameters, async (lease) => {
    const precompiles = applyStateOverrides(lease.machine, stateOverrides)
    const checked = admitCall(lease, transaction, block, { rules, validation: false })
    const execution = await executeCall(lease, checked, block, { precompiles })
    parameters.onPrint?.(execution.printed, request)
    if (!execution.success) throw callFailure(execution)
    return { returnData: toHex(execution.returnData) }
  })
}

/** The error that stands for a call that failed. */
export function callFailure(execution: Failure): DevnetError {
  const message = failureMessage(execution)
  return isRevert(execution)
    ? new ExecutionRevertedError(message, toHex(execution.returnData))
    : new ExecutionHaltedError(message)
}

/** The block with fees of 0 where the call pays none, as geth's `eth_call` has it. */
export function freeBlock(block: BlockContext, call: UnsignedTransaction): BlockContext {
  const freeOfGas = isFreeOfGas(call)
  const freeOfBlobs = call.type === 3 && call.maxFeePerBlobGas === 0n
  if (!freeOfGas && !freeOfBlobs) return block
  return {
    ...block,
    ...(freeOfGas ? { baseFeePerGas: 0n } : {}),
    ...(freeOfBlobs ? { blobBaseFee: 0n } : {}),
  }
}

/** A call that passed all checks. */
export interface CheckedCall {
  readonly tx: TypedTransaction
  readonly from: Uint8Array
}

/**
 * Holds a call against the state and the block that it is to run in.
 *
 * @throws {CallRefusedError} where no block could hold it
 */
export function admitCall(
  { executor, machine }: MachineLease,
  call: UnsignedTransaction,
  block: BlockContext,
  rules: CallRules,
): CheckedCall {
  checkCall(call, machine.overlay.account(addressKey(call.from)), block, rules)
  const tx = executor.unsigned(call)
  checkIntrinsicGas(tx)
  return { tx, from: call.from }
}

/** Executes a call on the machine's overlay, also from an account with code (no EIP-3607). */
export function executeCall(
  { executor, machine }: MachineLease,
  { tx, from }: CheckedCall,
  block: BlockContext,
  options: CallOptions,
): Promise<CallExecution> {
  const key = addressKey(from)
  const account = machine.overlay.account(key)
  if (account !== null && account.codeHash !== EMPTY_CODE_HASH) {
    machine.overlay.presentAsEoaOnce(key)
  }
  return executor.call(machine, tx, block, options)
}
