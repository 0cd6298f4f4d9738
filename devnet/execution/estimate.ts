import type { Chain } from '../chain/chain.ts'
import { GAS_PER_BLOB } from '../chain/fees.ts'
import type { UnsignedTransaction } from '../engine/callTransaction.ts'
import type { CallExecution } from '../engine/executor.ts'
import type { AccountRecord } from '../state/types.ts'
import { toHex } from '../chain/bytes.ts'
import { EMPTY_CODE_HASH } from '../state/codes.ts'
import { addressKey } from '../state/keys.ts'
import { type CallParameters, callFailure, freeBlock } from './call.ts'
import {
  CallFundsError,
  CallIntrinsicGasError,
  CallTransferError,
  GasAllowanceError,
} from './callErrors.ts'
import { callTransaction } from './callTransaction.ts'
import { isOutOfGas } from './haltReason.ts'
import { applyStateOverrides, overrideBlock, overrideBlockHashes } from './overrides.ts'
import { admitCall, executeCall } from './runCall.ts'
import { onMachine } from './session.ts'
import type { ExecutionTarget } from './target.ts'
import type { CallRequest } from './types.ts'

/** Gas of a transfer to an account without code. */
const TRANSFER_GAS = 21_000n

/** Gas that a call with value hands over for free, and must have first. */
const CALL_STIPEND = 2300n

/** How far an estimate may be above the least gas that is enough, of itself (geth). */
const ERROR_RATIO = 0.015

/** Tries a call with this much gas; `undefined` where that does not even pay for its bytes. */
type Probe = (gasLimit: bigint) => Promise<CallExecution | undefined>

/**
 * The least gas, within 1.5 %, with which a call succeeds, as geth finds it. Never more than a transaction may ask for:
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
  const { chainId, rules } = chain.engine
  const { blockOverrides, stateOverrides } = parameters
  const call = callTransaction(request, { gasLimit: 0n, nonce: 0n, chainId })
  const block = freeBlock(overrideBlock(target.block, blockOverrides), call)
  const blockHashes = overrideBlockHashes(target.blockHashes, blockOverrides?.blockHash)
  return onMachine(chain.engine, target.state, blockHashes, parameters, async (session) => {
    const { overlay } = session.machine
    const precompiles = applyStateOverrides(session.machine, stateOverrides)
    const probe: Probe = async (gasLimit) => {
      overlay.openCheckpoint()
      try {
        const checked = admitCall(session, { ...call, gasLimit }, block, {
          rules,
          validation: false,
        })
        return await executeCall(session, checked, block, { precompiles })
      } catch (error) {
        if (error instanceof CallIntrinsicGasError) return undefined
        throw error
      } finally {
        overlay.revertCheckpoint()
      }
    }
    const asked = call.gasLimit >= TRANSFER_GAS ? call.gasLimit : block.gasLimit
    const ceiling = least(
      asked,
      block.gasLimit,
      rules.transactionGasCap ?? asked,
      affordable(call, overlay.account(addressKey(call.from))) ?? asked,
      parameters.gasCap,
    )
    if (isTransfer(call, (key) => overlay.account(key))) {
      const transfer = await tryTransfer(probe)
      if (transfer) return TRANSFER_GAS
    }
    return search(probe, ceiling)
  })
}

function least(first: bigint, ...others: readonly bigint[]): bigint {
  return others.reduce((smallest, other) => (other < smallest ? other : smallest), first)
}

/**
 * Gas that the sender can pay for; `undefined` where it pays nothing.
 *
 * @throws {CallRefusedError} where the value and the blobs leave nothing for gas
 */
function affordable(call: UnsignedTransaction, account: AccountRecord | null): bigint | undefined {
  if (call.maxFeePerGas === 0n) return undefined
  const balance = account?.balance ?? 0n
  if (call.value >= balance) throw new CallTransferError()
  const blobGas = BigInt(call.blobVersionedHashes.length) * GAS_PER_BLOB
  const blobFee = blobGas * call.maxFeePerBlobGas
  const left = balance - call.value - blobFee
  if (left <= 0n) throw new CallFundsError(toHex(call.from), balance, call.value + blobFee)
  return left / call.maxFeePerGas
}
