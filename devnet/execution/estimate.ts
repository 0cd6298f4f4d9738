import { toHex } from '../chain/bytes.ts'
import type { Chain } from '../chain/chain.ts'
import { GAS_PER_BLOB } from '../chain/fees.ts'
import type { UnsignedTransaction } from '../engine/callTransaction.ts'
import { EMPTY_CODE_HASH } from '../state/codes.ts'
import { addressKey } from '../state/keys.ts'
import type { AccountRecord, StateReader } from '../state/types.ts'
import { type CallParameters, freeBlock } from './call.ts'
import {
  CallFundsError,
  CallIntrinsicGasError,
  CallRefusedError,
  CallTransferError,
} from './callErrors.ts'
import { callTransaction } from './callTransaction.ts'
import { type Probe, searchGas } from './gasSearch.ts'
import { applyStateOverrides, overrideBlock, overrideBlockHashes } from './overrides.ts'
import { admitCall, executeCall } from './runCall.ts'
import { onMachine } from './session.ts'
import type { ExecutionTarget } from './target.ts'
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
  return onMachine(chain.engine, rules, target.state, blockHashes, parameters, async (session) => {
    const { overlay } = session.machine
    const precompiles = applyStateOverrides(session.machine, stateOverrides)
    const probe: Probe = async (gasLimit) => {
      overlay.openCheckpoint()
      try {
        const limited = { ...call, gasLimit }
        const checked = admitCall(session, limited, block, { rules, validation: false })
        return await executeCall(session, checked, block, { precompiles })
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
