import type { TypedTransaction } from '@ethereumjs/tx'
import type { UnsignedTransaction } from '../engine/callTransaction.ts'
import type { CallOptions } from '../engine/callWatch.ts'
import type { BlockContext, CallExecution } from '../engine/executor.ts'
import { EMPTY_CODE_HASH } from '../state/codes.ts'
import { addressKey } from '../state/keys.ts'
import { type CallRules, checkCall, checkIntrinsicGas } from './callChecks.ts'
import type { Session } from './session.ts'

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
  { executor, machine }: Session,
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
  { executor, machine }: Session,
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
