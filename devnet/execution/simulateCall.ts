import type { Engine } from '../engine/engine.ts'
import type { CallExecution, PrecompileChanges } from '../engine/types.ts'
import type { CallRequest } from '../json/schemas/callRequest.ts'
import { afterwards } from '../primitives/afterwards.ts'
import { ZERO_HASH } from '../primitives/bytes.ts'
import { addGas, type BlockGas, hasRoom, roomLeft } from '../protocol/blockGas.ts'
import type { BlockEnvironment } from '../protocol/environment.ts'
import { type ExecutedTransaction, makeExecuted } from '../protocol/receipt.ts'
import { type ChainTransaction, MAX_NONCE } from '../protocol/transaction.ts'
import { addressKeyFromHex } from '../state/keys.ts'
import type { StateReader } from '../state/types.ts'
import { admitCall, executeCall, type PrintListener } from './call.ts'
import { capGas, isFreeOfGas } from './callChecks.ts'
import { CallRefusedError, SimulationCode } from './callErrors.ts'
import { DEFAULT_SENDER } from './callReads.ts'
import { callTransaction } from './callTransaction.ts'
import type { MachineLease } from './machineLease.ts'
import { unsignedTransaction } from './unsignedTransaction.ts'

/** State that all blocks of a simulation share. */
export interface Simulation {
  readonly engine: Engine
  /** Replaced if the next block has a different hardfork. */
  lease: MachineLease
  readonly base: StateReader
  readonly validation: boolean
  readonly traceTransfers: boolean
  readonly onPrint: PrintListener | undefined
  /** Gas left for the remaining calls of the request. */
  gasLeft: bigint
}

/** The part of a simulated block that is fixed before anything runs in it. */
export type SimulatedEnvironment = Omit<BlockEnvironment, 'parent'>

export interface OpenBlock {
  readonly environment: SimulatedEnvironment
  readonly precompiles: PrecompileChanges | undefined
  readonly calls: SimulatedCall[]
  gas: BlockGas
  blobGasUsed: bigint
  /** Number of logs so far, including those for transfers. */
  logCount: number
  /** The same with those that failed frames have taken back. */
  emittedLogs: number
}

export interface SimulatedCall {
  readonly executed: ExecutedTransaction
  readonly execution: CallExecution
  /** Number of logs that the calls before emitted, those taken back included. */
  readonly emittedBefore: number
  /** True if its gas limit was lowered to the gas left for the request. */
  readonly capped: boolean
}

/**
 * Executes the next call of a block.
 *
 * @returns a promise if it has to be awaited
 * @throws {CallRefusedError} if the block cannot include it
 */
export function simulateCall(
  simulation: Simulation,
  block: OpenBlock,
  request: CallRequest,
): Promise<void> | void {
  const { engine, lease, validation, traceTransfers } = simulation
  const { environment, precompiles } = block
  const { overlay } = lease.machine
  const { gasLimit, rules } = environment
  const gasLeft = roomLeft(block.gas, gasLimit, rules)
  const sender = request.from === undefined ? DEFAULT_SENDER : addressKeyFromHex(request.from)
  const wanted = callTransaction(request, {
    gasLimit: gasLeft,
    nonce: overlay.account(sender)?.nonce ?? 0n,
    chainId: engine.chainId,
  })
  if (!hasRoom(block.gas, wanted.gasLimit, gasLimit, rules)) {
    throw new CallRefusedError(
      `block gas limit reached: remaining: ${gasLeft}, required: ${wanted.gasLimit}`,
      SimulationCode.blockGasLimit,
    )
  }
  const call = capGas(wanted, simulation.gasLeft)
  const capped = call !== wanted
  const checked = admitCall(lease, call, environment, { validation })
  const execution = executeCall(lease, checked, environment, {
    waiveBaseFee: !validation && isFreeOfGas(call),
    waiveBlobFee: !validation && call.maxFeePerBlobGas === 0n,
    precompiles,
    traceTransfers,
    countLostLogs: true,
  })
  return afterwards(execution, (ended) => {
    simulation.onPrint?.(ended.printed, request)
    // A nonce has 64 bits. Without validation it wraps around to 0, as in geth.
    const { nonce = 0n } = overlay.account(sender) ?? {}
    if (nonce > MAX_NONCE) overlay.setNonce(sender, 0n)
    simulation.gasLeft -= ended.gasUsed
    addCall(block, unsignedTransaction(checked, engine, environment.rules), ended, capped)
  })
}

function addCall(
  block: OpenBlock,
  transaction: ChainTransaction,
  execution: CallExecution,
  capped: boolean,
): void {
  const { environment } = block
  block.gas = addGas(block.gas, execution)
  block.blobGasUsed += transaction.blobGas
  const executed = makeExecuted(transaction, environment, {
    success: execution.success,
    gasUsed: execution.gasUsed,
    logs: execution.logs,
    bloomBits: execution.bloomBits,
    createdAddress: execution.createdAddress,
    // Zero, like the block's own: simulated state has no trie.
    stateRoot: environment.rules.receiptStatus ? undefined : ZERO_HASH,
    index: block.calls.length,
    cumulativeGasUsed: block.gas.paid,
    firstLogIndex: block.logCount,
    tick: 0,
    innerFrames: undefined,
  })
  block.logCount += execution.tracedLogs.length
  const emittedBefore = block.emittedLogs
  block.emittedLogs += execution.emission?.total ?? 0
  block.calls.push({ executed, execution, emittedBefore, capped })
}
