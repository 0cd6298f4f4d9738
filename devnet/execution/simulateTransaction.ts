import { toChainTransaction } from '../chain/admission.ts'
import type { Engine } from '../engine/engine.ts'
import type { CallExecution, PrecompileChanges } from '../engine/types.ts'
import { ZERO_ADDRESS, ZERO_HASH } from '../primitives/bytes.ts'
import { makeExecuted } from '../protocol/receipt.ts'
import { addressKey, addressKeyFromHex } from '../state/keys.ts'
import type { StateReader } from '../state/types.ts'
import { admitCall, type CheckedCall, executeCall, type PrintListener } from './call.ts'
import { isFreeOfGas } from './callChecks.ts'
import { CallBlockGasError } from './callErrors.ts'
import { callTransaction } from './callTransaction.ts'
import type { MachineLease } from './machineLease.ts'
import type { SimulatedCall, SimulatedEnvironment } from './simulateTypes.ts'
import type { CallRequest } from './types.ts'

/** Who calls where the request does not say. */
const NOBODY = addressKey(ZERO_ADDRESS)

/** What all blocks of a simulation share. */
export interface Simulation {
  readonly engine: Engine
  /** Another one from a hardfork on. */
  lease: MachineLease
  /** The state below the simulation. */
  readonly base: StateReader
  readonly validation: boolean
  readonly traceTransfers: boolean
  readonly onPrint: PrintListener | undefined
  /** Gas that is left for the rest of the request. */
  gasLeft: bigint
}

/** A simulated block while its calls run. */
export interface OpenBlock {
  readonly environment: SimulatedEnvironment
  readonly precompiles: PrecompileChanges | undefined
  readonly calls: SimulatedCall[]
  gasUsed: bigint
  blobGasUsed: bigint
  /** Logs so far, those for transfers included. */
  logCount: number
}

/**
 * Executes the next call of a block.
 *
 * @throws {CallRefusedError} where the block cannot hold it
 */
export async function simulateCall(
  simulation: Simulation,
  block: OpenBlock,
  request: CallRequest,
): Promise<void> {
  const { engine, lease, validation } = simulation
  const { environment } = block
  const { overlay } = lease.machine
  const left = environment.gasLimit - block.gasUsed
  const sender = request.from === undefined ? NOBODY : addressKeyFromHex(request.from)
  const wanted = callTransaction(request, {
    gasLimit: left,
    nonce: overlay.account(sender)?.nonce ?? 0n,
    chainId: engine.chainId,
  })
  if (wanted.gasLimit > left) throw new CallBlockGasError(left, wanted.gasLimit)
  const capped = wanted.gasLimit > simulation.gasLeft
  const call = capped ? { ...wanted, gasLimit: simulation.gasLeft } : wanted
  const checked = admitCall(lease, call, environment, {
    rules: environment.rules,
    validation,
  })
  const execution = await executeCall(lease, checked, environment, {
    waiveBaseFee: !validation && isFreeOfGas(call),
    waiveBlobFee: !validation && call.maxFeePerBlobGas === 0n,
    precompiles: block.precompiles,
    traceTransfers: simulation.traceTransfers,
  })
  simulation.onPrint?.(execution.printed, request)
  // 2^64 is no nonce; without validation the account starts again, as in geth.
  if (overlay.account(sender)?.nonce === 2n ** 64n) overlay.setNonce(sender, 0n)
  record(simulation, block, checked, execution, capped)
}

function record(
  simulation: Simulation,
  block: OpenBlock,
  { tx, from }: CheckedCall,
  execution: CallExecution,
  capped: boolean,
): void {
  const raw = tx.serialize()
  const hash = simulation.engine.crypto.keccak256(raw)
  const transaction = toChainTransaction({ tx, raw, hash, sender: from })
  const { environment } = block
  simulation.gasLeft -= execution.gasUsed
  block.gasUsed += execution.gasUsed
  block.blobGasUsed += transaction.blobGas
  block.calls.push({
    executed: makeExecuted(transaction, environment, {
      ...execution,
      // Zero like the block's own: simulations make no trie.
      stateRoot: environment.rules.receiptStatus ? undefined : ZERO_HASH,
      index: block.calls.length,
      cumulativeGasUsed: block.gasUsed,
      firstLogIndex: block.logCount,
      tick: 0,
    }),
    execution,
    capped,
  })
  block.logCount += execution.tracedLogs.length
}
