import type { Engine } from '../engine/engine.ts'
import type { CallExecution } from '../engine/types.ts'
import type { CallRequest } from '../json/schemas/callRequest.ts'
import { EMPTY_BYTES, ZERO_ADDRESS } from '../primitives/bytes.ts'
import { RefusedError } from '../primitives/errors.ts'
import { fromHex, toHex } from '../primitives/hex.ts'
import { defaultGas, gasLimitCap } from '../protocol/blockGas.ts'
import type { BlockEnvironment } from '../protocol/environment.ts'
import { blobGasOf, maxCostOf } from '../protocol/fees.ts'
import type { ForkRules } from '../protocol/forks.ts'
import { ACCOUNT_STATE_GAS, CALL_STIPEND, intrinsicGas, leastGas } from '../protocol/gas.ts'
import { hasCode } from '../protocol/systemContracts.ts'
import type { TransactionFields } from '../protocol/transaction.ts'
import { isEmptyAccount } from '../state/accounts.ts'
import { addressKey, addressKeyFromHex } from '../state/keys.ts'
import type { AccountRecord, StateReader } from '../state/types.ts'
import { type CallParameters, callFailure, prepareCall, runCall } from './call.ts'
import { capGas } from './callChecks.ts'
import { CallRefusedError, CallRejectedError, fundsMissing, SimulationCode } from './callErrors.ts'
import type { ExecutionTarget } from './executionTarget.ts'
import { withMachine } from './machineLease.ts'
import { applyStateOverrides } from './overrides.ts'

/**
 * The least gas with which a call succeeds, as {@link searchGas} finds it. Never more than a
 * transaction may ask for: the block gas limit, and {@link gasLimitCap}.
 *
 * @throws {ExecutionRevertedError} if the code reverts with all the gas that is allowed
 * @throws {ExecutionHaltedError} if it fails otherwise
 * @throws {RefusedError} if all the gas that is allowed or paid for is not enough
 * @throws {CallRefusedError} if no block could include the call
 * @throws {ExecutionAbortedError} if it is aborted or times out
 */
export async function estimateGas(
  { engine }: { readonly engine: Engine },
  target: ExecutionTarget,
  request: CallRequest,
  parameters: CallParameters,
): Promise<bigint> {
  const { stateOverrides, gasCap, likeHardhat } = parameters
  const prepared = prepareCall(engine, target, request, parameters)
  const { call, block, rules } = prepared
  return withMachine({ ...parameters, ...prepared }, async (lease) => {
    const { overlay } = lease.machine
    const precompiles = await applyStateOverrides(lease, stateOverrides)
    const probe: Probe = async (gasLimit) => {
      overlay.openCheckpoint()
      try {
        return await runCall(lease, { ...call, gasLimit }, block, { precompiles, likeHardhat })
      } catch (error) {
        const code = error instanceof CallRefusedError ? error.simulationCode : undefined
        if (code === SimulationCode.intrinsicGas) return undefined
        throw error
      } finally {
        overlay.revertCheckpoint()
      }
    }
    const { gas = 0n } = request
    const { gasLimit: ceiling } = capGas(
      { ...call, gasLimit: gas >= leastGas(rules) ? gas : block.gasLimit },
      block.gasLimit,
      gasLimitCap(rules),
      likeHardhat ? undefined : affordableGas(call, overlay.account(addressKey(call.from)), rules),
      gasCap,
    )
    const transfer = isTransfer(call, overlay) ? transferGas(call, overlay, rules) : undefined
    if (transfer !== undefined && (await isEnough(transfer, probe))) return transfer
    // Only failed calls print, as in `hardhat node`: a successful one prints once it is sent.
    const onFailure = ({ printed }: CallExecution) => parameters.onPrint?.(printed, request)
    // Gas for state comes back in the midst of calls, and then more is needed than is used.
    return searchGas(probe, ceiling, { onFailure, isExact: rules.stateGas })
  })
}

/**
 * Gas that the sender can pay for; `undefined` if the call offers no gas fee.
 *
 * @throws {CallRefusedError} if value and blobs leave nothing for gas
 */
function affordableGas(
  call: TransactionFields,
  account: AccountRecord | null,
  rules: ForkRules,
): bigint | undefined {
  if (call.maxFeePerGas === 0n) return undefined
  const balance = account?.balance ?? 0n
  if (call.value >= balance) {
    const want = maxCostOf({ ...call, gasLimit: BigInt(intrinsicGas(call, rules).intrinsic) })
    // Up to the colon, the message is geth's, which clients match on.
    throw new CallRejectedError(
      `insufficient funds for transfer: address ${toHex(call.from)} have ${balance} want ${want}`,
      SimulationCode.funds,
    )
  }
  const blobFee = blobGasOf(call) * call.maxFeePerBlobGas
  const left = balance - call.value - blobFee
  if (left <= 0n) throw fundsMissing(call.from, balance, call.value + blobFee)
  return left / call.maxFeePerGas
}

/** A transfer to an account that is neither a contract nor at an address of precompiles. */
function isPlainTransfer(request: CallRequest, state: StateReader): boolean {
  const { to, data = '0x', accessList, authorizationList, blobVersionedHashes } = request
  const isPlain = (accessList ?? authorizationList ?? blobVersionedHashes) === undefined
  if (!isPlain || to === undefined || data !== '0x') return false
  return BigInt(to) > LAST_PRECOMPILE && !hasCode(addressKeyFromHex(to), state)
}

/** No hardfork or network has precompiles above this address. */
const LAST_PRECOMPILE = 0xffffn

function isTransfer({ to, data }: TransactionFields, state: StateReader): boolean {
  return to !== undefined && data.length === 0 && !hasCode(addressKey(to), state)
}

/**
 * Gas of a transfer to an account without code: since Amsterdam with that of the account if there
 * is none (EIP-2780).
 */
function transferGas(
  call: Pick<TransactionFields, 'from' | 'to' | 'value'>,
  state: StateReader,
  rules: ForkRules,
): bigint {
  const { to, value } = call
  const { intrinsic } = intrinsicGas({ ...PLAIN, ...call }, rules)
  const makesAccount = rules.stateGas && to !== undefined && value > 0n
  const account = makesAccount ? state.account(addressKey(to)) : undefined
  const isNew = account === null || (account !== undefined && isEmptyAccount(account))
  return BigInt(isNew ? intrinsic + ACCOUNT_STATE_GAS : intrinsic)
}

const PLAIN = { data: EMPTY_BYTES, accessList: [], authorizationList: [] } as const

/** As {@link transferGas}, of a request; `undefined` if it is no {@link isPlainTransfer}. */
export function plainTransferGas(
  request: CallRequest,
  state: StateReader,
  rules: ForkRules,
): bigint | undefined {
  const { from, to, value = 0n } = request
  if (to === undefined || !isPlainTransfer(request, state)) return undefined
  const sender = from === undefined ? ZERO_ADDRESS : fromHex(from)
  return transferGas({ from: sender, to: fromHex(to), value }, state, rules)
}

/** An estimate, with half as much again beyond the least gas, as others may run before. */
export function ampleGas(gas: bigint, environment: BlockEnvironment): bigint {
  const most = defaultGas(environment)
  const ample = gas + (gas - BigInt(leastGas(environment.rules))) / 2n
  return ample < most ? ample : most
}

/** True if that gas is enough; false for a refused call, which the search reports. */
async function isEnough(gas: bigint, probe: Probe): Promise<boolean> {
  try {
    return (await probe(gas))?.success === true
  } catch (error) {
    if (error instanceof CallRefusedError) return false
    throw error
  }
}

/**
 * Maximum fraction of an estimate that may be in excess of what the call needs (as in geth), if it
 * needs more than it uses.
 */
const ERROR_RATIO = 0.015

/** Tries a call with this gas limit; `undefined` if it is below the intrinsic gas. */
export type Probe = (gasLimit: bigint) => Promise<CallExecution | undefined>

/**
 * The least gas with which a call succeeds: exact if that is what it uses before refunds, as on
 * Hardhat and anvil, otherwise by geth's search, within {@link ERROR_RATIO}. Exported for its test.
 *
 * @param ceiling - maximum gas limit
 * @param options.onFailure - receives the execution if the call fails with `ceiling`
 * @param options.isExact - searches to the unit. Default: false
 * @throws {ExecutionRevertedError} if it reverts with the ceiling
 * @throws {ExecutionHaltedError} if it fails otherwise with the ceiling
 * @throws {RefusedError} if the ceiling is not enough gas
 */
export async function searchGas(
  probe: Probe,
  ceiling: bigint,
  {
    onFailure,
    isExact = false,
  }: { onFailure?: (execution: CallExecution) => void; isExact?: boolean } = {},
): Promise<bigint> {
  const first = await probe(ceiling)
  if (first?.success === false) onFailure?.(first)
  if (first === undefined || first.failure === 'outOfGas')
    throw new RefusedError(`gas required exceeds allowance (${ceiling})`)
  if (!first.success) throw callFailure(first)
  /** The call always fails with `low` and succeeds with `high`. */
  let low = first.gasUsed - 1n
  let high = ceiling
  const narrow = async (gas: bigint): Promise<void> => {
    const execution = await probe(gas)
    if (execution?.success === true) high = gas
    else low = gas
  }
  // Most calls need just what they use before refunds: none can do with less.
  const { gasUsed, gasBeforeRefund } = first
  const exact = gasBeforeRefund > gasUsed ? gasBeforeRefund : gasUsed
  if (exact < high) await narrow(exact)
  if (high === exact) return exact
  // Of the rest, most succeed with the 64th more that calls keep back (EIP-150).
  const optimistic = ((first.gasBeforeRefund + CALL_STIPEND) * 64n) / 63n
  if (optimistic < high) await narrow(optimistic)
  while (low + 1n < high && (isExact || Number(high - low) / Number(high) >= ERROR_RATIO)) {
    const middle = low + (high - low) / 2n
    // Most calls need little more gas than they use, so the search starts near `low`.
    await narrow(middle > low * 2n ? low * 2n : middle)
  }
  return high
}
