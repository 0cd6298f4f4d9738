import type { Chain } from '../chain/chain.ts'
import type { CallExecution } from '../engine/types.ts'
import type { UnsignedTransaction } from '../engine/unsignedTransaction.ts'
import { toHex } from '../primitives/hex.ts'
import { GAS_PER_BLOB } from '../protocol/fees.ts'
import { CALL_STIPEND } from '../protocol/gas.ts'
import { EMPTY_CODE_HASH } from '../state/codes.ts'
import { addressKey } from '../state/keys.ts'
import type { AccountRecord, StateReader } from '../state/types.ts'
import { admitCall, type CallParameters, callFailure, executeCall, freeBlock } from './call.ts'
import {
  CallFundsError,
  CallIntrinsicGasError,
  CallRefusedError,
  CallTransferError,
  GasAllowanceError,
} from './callErrors.ts'
import { callTransaction } from './callTransaction.ts'
import type { ExecutionTarget } from './executionTarget.ts'
import { isOutOfGas } from './failureMessage.ts'
import { withMachine } from './machineLease.ts'
import { applyStateOverrides, overrideBlock, overrideBlockHashes } from './overrides.ts'
import type { CallRequest } from './types.ts'

/** Gas of a transfer to an account without code; less cannot be asked for. */
const TRANSFER_GAS = 21_000n

/**
 * The least gas with which a call succeeds, within 1.5 %, as geth finds it. Never more than a transaction may ask for:
 * the block gas limit, and 2^24 from Osaka on (EIP-7825).
 *
 * @throws {ExecutionRevertedError} where the code reverts with all gas that is allowed
 * @throws {ExecutionHaltedError} where it fails otherwise
 * @throws {GasAllowanceError} where all gas that is allowed or paid for is not enough
 * @throws {CallRefusedError} where no block could hold the call
 * @throws {ExecutionAbortedError} where a limit ends it
 */
export async function estimateGas(
  chain: Chain,
  target: ExecutionTarget,
  request: CallRequest,
  parameters: CallParameters,
): Promise<bigint> {
  const { chainId, schedule } = chain.engine
  const { blockOverrides, stateOverrides, gasCap } = parameters
  const call = callTransaction(request, { gasLimit: 0n, nonce: 0n, chainId })
  const block = freeBlock(overrideBlock(target.block, blockOverrides), call)
  const blockHashes = overrideBlockHashes(target.blockHashes, blockOverrides?.blockHash)
  const rules = schedule.at(block.number, block.timestamp)
  return withMachine(chain.engine, rules, target.state, blockHashes, parameters, async (lease) => {
    const { overlay } = lease.machine
    const precompiles = applyStateOverrides(lease.machine, stateOverrides)
    const probe: Probe = async (gasLimit) => {
      overlay.openCheckpoint()
      try {
        const limited = { ...call, gasLimit }
        const checked = admitCall(lease, limited, block, { rules, validation: false })
        return await executeCall(lease, checked, block, { precompiles })
      } catch (error) {
        if (error instanceof CallIntrinsicGasError) return undefined
        throw error
      } finally {
        overlay.revertCheckpoint()
      }
    }
    const asked = call.gasLimit >= TRANSFER_GAS ? call.gasLimit : block.gasLimit
    const ceiling = least([
      asked,
      block.gasLimit,
      rules.transactionGasCap,
      affordableGas(call, overlay.account(addressKey(call.from))),
      gasCap,
    ])
    if (isTransfer(call, overlay) && (await isEnoughForTransfer(probe))) return TRANSFER_GAS
    // As `hardhat node`: what succeeds is going to be sent, and printed then.
    return searchGas(probe, ceiling, ({ printed }) => parameters.onPrint?.(printed, request))
  })
}

/** The smallest of the limits that there are. */
function least([first, ...others]: readonly [bigint, ...(bigint | undefined)[]]): bigint {
  let smallest = first
  for (const limit of others) if (limit !== undefined && limit < smallest) smallest = limit
  return smallest
}

/**
 * Gas that the sender can pay for; `undefined` where it pays nothing.
 *
 * @throws {CallRefusedError} where value and blobs leave nothing for gas
 */
function affordableGas(
  call: UnsignedTransaction,
  account: AccountRecord | null,
): bigint | undefined {
  if (call.maxFeePerGas === 0n) return undefined
  const balance = account?.balance ?? 0n
  if (call.value >= balance) throw new CallTransferError()
  const blobGas = BigInt(call.blobVersionedHashes.length) * GAS_PER_BLOB
  const blobFee = blobGas * call.maxFeePerBlobGas
  const left = balance - call.value - blobFee
  if (left <= 0n) throw new CallFundsError(toHex(call.from), balance, call.value + blobFee)
  return left / call.maxFeePerGas
}

function isTransfer({ to, data }: UnsignedTransaction, state: StateReader): boolean {
  if (to === undefined || data.length > 0) return false
  const account = state.account(addressKey(to))
  return account === null || account.codeHash === EMPTY_CODE_HASH
}

/** Whether a plain transfer's gas will do; a refusal comes again, and is told, with more gas. */
async function isEnoughForTransfer(probe: Probe): Promise<boolean> {
  try {
    return (await probe(TRANSFER_GAS))?.success === true
  } catch (error) {
    if (error instanceof CallRefusedError) return false
    throw error
  }
}

/** How far an estimate may be above the least gas that is enough, as a part of itself (geth). */
const ERROR_RATIO = 0.015

/** Tries a call with this much gas; answers `undefined` where that does not even pay for its bytes. */
export type Probe = (gasLimit: bigint) => Promise<CallExecution | undefined>

/**
 * The least gas with which a call succeeds, within {@link ERROR_RATIO}, by geth's search.
 *
 * @param ceiling - the most gas that it may get
 * @param onFailure - gets the execution that fails with all of it
 * @throws {ExecutionRevertedError} where it reverts with that
 * @throws {ExecutionHaltedError} where it fails otherwise with that
 * @throws {GasAllowanceError} where that is not enough
 */
export async function searchGas(
  probe: Probe,
  ceiling: bigint,
  onFailure?: (execution: CallExecution) => void,
): Promise<bigint> {
  const first = await probe(ceiling)
  if (first?.success === false) onFailure?.(first)
  if (first === undefined || isOutOfGas(first)) throw new GasAllowanceError(ceiling)
  if (!first.success) throw callFailure(first)
  /** The call fails with `low`, and succeeds with `high`. */
  let low = first.gasUsed - 1n
  let high = ceiling
  const narrow = async (gas: bigint): Promise<void> => {
    const execution = await probe(gas)
    if (execution?.success === true) high = gas
    else low = gas
  }
  // Most calls succeed with what they use before refunds, if one 64th of it more is there to be kept back (EIP-150).
  const optimistic = ((first.gasBeforeRefund + CALL_STIPEND) * 64n) / 63n
  if (optimistic < high) await narrow(optimistic)
  while (low + 1n < high && Number(high - low) / Number(high) >= ERROR_RATIO) {
    const middle = low + (high - low) / 2n
    // Most calls need little more than they use: the search looks there first.
    await narrow(middle > low * 2n ? low * 2n : middle)
  }
  return high
}
