import type { ConsoleCalls } from '../engine/consoleCalls.ts'
import type { Engine } from '../engine/engine.ts'
import type { CallExecution, CallOptions, PrecompileChanges } from '../engine/types.ts'
import type { BlockOverrides } from '../json/schemas/blockOverrides.ts'
import type { CallRequest } from '../json/schemas/callRequest.ts'
import type { StateOverrides } from '../json/schemas/stateOverrides.ts'
import { afterwards } from '../primitives/afterwards.ts'
import type { DevnetError } from '../primitives/errors.ts'
import { type Hex, toHex } from '../primitives/hex.ts'
import type { BlockContext } from '../protocol/blockContext.ts'
import { maxCostOf } from '../protocol/fees.ts'
import { blockTerms, type ForkRules, sharedRules } from '../protocol/forks.ts'
import { hasCode } from '../protocol/systemContracts.ts'
import { effectiveGasPrice, type TransactionFields } from '../protocol/transaction.ts'
import { addressKey } from '../state/keys.ts'
import type { Overlay } from '../state/overlay/overlay.ts'
import { capGas, checkCall, checkIntrinsicGas, withKnownType } from './callChecks.ts'
import { ExecutionHaltedError, ExecutionRevertedError } from './callErrors.ts'
import { callReads } from './callReads.ts'
import { callTransaction } from './callTransaction.ts'
import type { ExecutionTarget } from './executionTarget.ts'
import { type Failure, failureMessage } from './failureMessage.ts'
import {
  type ExecutionLimits,
  type LeaseRequest,
  type MachineLease,
  withMachine,
} from './machineLease.ts'
import { applyStateOverrides, overrideBlock, overrideBlockHashes } from './overrides.ts'

/** Receives the `console.log` calls of a call; `undefined` if there were none. */
export type PrintListener = (printed: ConsoleCalls | undefined, request: CallRequest) => void

export interface CallParameters extends ExecutionLimits {
  readonly stateOverrides?: StateOverrides | undefined
  readonly blockOverrides?: BlockOverrides | undefined
  /** Maximum gas; a higher gas limit in the request is lowered to it. */
  readonly gasCap: bigint
  /**
   * True if it runs as on Hardhat's own network: a sender who cannot pay gets what it lacks for
   * this call, and a tip without a fee cap is all that it offers. Default: false
   */
  readonly likeHardhat?: boolean | undefined
  /** Called for failed calls too. */
  readonly onPrint?: PrintListener | undefined
}

/**
 * Executes a call and commits nothing, as `eth_call` does: nonce, EIP-3607 and EIP-7825 are not
 * checked, and a call that offers less than the base fee runs with a base fee of 0.
 *
 * @throws {ExecutionRevertedError} if the code reverts
 * @throws {ExecutionHaltedError} if it fails otherwise
 * @throws {CallRefusedError} if no block could include the call
 * @throws {ExecutionAbortedError} if it is aborted or times out
 */
export async function call(
  { engine }: { readonly engine: Engine },
  target: ExecutionTarget,
  request: CallRequest,
  parameters: CallParameters,
): Promise<{ readonly returnData: Hex }> {
  const prepared = prepareCall(engine, target, request, parameters)
  const finish = (execution: CallExecution): { readonly returnData: Hex } => {
    parameters.onPrint?.(execution.printed, request)
    if (!execution.success) throw callFailure(execution)
    return { returnData: toHex(execution.returnData) }
  }
  return withMachine({ ...parameters, ...prepared }, (lease) => {
    const { likeHardhat } = parameters
    const run = (precompiles: PrecompileChanges | undefined) =>
      afterwards(
        runCall(lease, prepared.call, prepared.block, { precompiles, likeHardhat }),
        finish,
      )
    return afterwards(applyStateOverrides(lease, parameters.stateOverrides), run)
  })
}

export function callFailure(execution: Failure): DevnetError {
  const message = failureMessage(execution)
  return execution.failure === 'revert'
    ? new ExecutionRevertedError(message, toHex(execution.returnData))
    : new ExecutionHaltedError(message)
}

/** A call, the block it runs in, and the request for a machine to run it. */
export interface PreparedCall extends LeaseRequest {
  readonly call: TransactionFields
  readonly block: BlockContext
}

/**
 * Applies gas cap and block overrides to a request.
 *
 * @throws {CallRefusedError} if fees conflict, or the chain id or a block override is refused
 */
export function prepareCall(
  engine: Engine,
  { state, block: targetBlock, blockHashes, rules }: ExecutionTarget,
  request: CallRequest,
  parameters: Pick<CallParameters, 'blockOverrides' | 'gasCap' | 'likeHardhat' | 'stateOverrides'>,
): PreparedCall {
  const { chainId } = engine
  const { blockOverrides, gasCap, stateOverrides } = parameters
  const offered = parameters.likeHardhat ? withTipAsCap(request) : request
  const call = capGas(callTransaction(offered, { gasLimit: gasCap, nonce: 0n, chainId }), gasCap)
  const block = withoutFees(overrideBlock(targetBlock, blockOverrides), call)
  return {
    engine,
    rules: isMoved(blockOverrides) ? rulesAt(block, rules, engine) : rules,
    state,
    blockHashes: overrideBlockHashes(blockHashes, blockOverrides?.blockHash),
    reads: () => callReads([{ calls: [request], stateOverrides }], block.coinbase),
    // Overrides are not applied yet, and may change what is read.
    prefetched: stateOverrides === undefined && call.data.length > 0 ? call : undefined,
    call,
    block,
  }
}

function isMoved({ number, time }: BlockOverrides = {}): boolean {
  return number !== undefined || time !== undefined
}

/** The rules of another number or time, with the terms of `rules`. */
function rulesAt({ number, timestamp }: BlockContext, rules: ForkRules, { schedule }: Engine) {
  return sharedRules({ ...schedule.at(number, timestamp), ...blockTerms(rules) })
}

function withTipAsCap(request: CallRequest): CallRequest {
  return { ...request, maxFeePerGas: request.maxFeePerGas ?? request.maxPriorityFeePerGas }
}

/**
 * Sets the base fee to 0 if the call offers less, as Hardhat does, so that it is executed; geth and
 * anvil do so for a call without fees. The blob base fee is set to 0 for a call without blob fee.
 */
function withoutFees(block: BlockContext, call: TransactionFields): BlockContext {
  const freeOfBlobs = call.type === 3 && call.maxFeePerBlobGas === 0n
  return {
    ...block,
    ...(call.maxFeePerGas < block.baseFeePerGas ? { baseFeePerGas: 0n } : undefined),
    ...(freeOfBlobs ? { blobBaseFee: 0n } : undefined),
  }
}

/** Checks a call and executes it on the machine's overlay; at once if nothing must be awaited. */
export function runCall(
  lease: MachineLease,
  call: TransactionFields,
  block: BlockContext,
  { likeHardhat, ...options }: CallOptions & Pick<CallParameters, 'likeHardhat'>,
): CallExecution | Promise<CallExecution> {
  return executeCall(lease, admitCall(lease, call, block, { likeHardhat }), block, options)
}

/**
 * Checks a call against its block and the state; returns it in a type that the hardfork has.
 *
 * @param options.validation - whether to enforce nonce and base fee, as in {@link checkCall}.
 *   Default: false
 * @param options.likeHardhat - see {@link CallParameters}
 * @throws {CallRefusedError} if no block could include it
 */
export function admitCall(
  { executor, machine }: MachineLease,
  call: TransactionFields,
  block: BlockContext,
  options: { readonly validation?: boolean } & Pick<CallParameters, 'likeHardhat'> = {},
): TransactionFields {
  const { validation = false, likeHardhat = false } = options
  const { rules } = executor
  const paid = likeHardhat ? fund(machine.overlay, call, block) : call
  checkCall(paid, machine.overlay.account(addressKey(call.from)), block, rules, validation)
  checkIntrinsicGas(call, rules)
  return withKnownType(paid, rules)
}

/**
 * Gives the sender what it lacks to pay for a call, and no more, as code may read its balance: the
 * result has no higher fee cap than the call pays.
 */
function fund(
  overlay: Overlay,
  call: TransactionFields,
  { baseFeePerGas }: BlockContext,
): TransactionFields {
  const sender = addressKey(call.from)
  const funded = { ...call, maxFeePerGas: effectiveGasPrice(call, baseFeePerGas) }
  const cost = maxCostOf(funded)
  if (cost > MOST_COST || funded.maxFeePerGas > MOST_PRICE) return call
  if (cost > (overlay.account(sender)?.balance ?? 0n)) overlay.setBalance(sender, cost)
  return funded
}

// Hardhat's own network ends the process if a cost does not fit into 256 bits. Failed calls are
// replayed there, perhaps with more gas.
const MOST_COST = 2n ** 255n
const MOST_PRICE = 2n ** 192n

/** Executes a call on the machine's overlay, even from an account with code (no EIP-3607). */
export function executeCall(
  { executor, machine }: MachineLease,
  call: TransactionFields,
  block: BlockContext,
  options: CallOptions,
): CallExecution | Promise<CallExecution> {
  const key = addressKey(call.from)
  if (hasCode(key, machine.overlay)) machine.overlay.presentAsEoaOnce(key)
  return executor.call(machine, call, block, options)
}
