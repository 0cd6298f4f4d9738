import { DevnetError, ErrorCode, RefusedError } from '../primitives/errors.ts'
import { type Hex, toHex } from '../primitives/hex.ts'

/** Error codes of `eth_simulateV1` (execution-apis). */
export const SimulationCode = {
  timeout: -32016,
  nonceTooLow: -38010,
  nonceTooHigh: -38011,
  feeCapTooLow: -38012,
  intrinsicGas: -38013,
  funds: -38014,
  blockGasLimit: -38015,
  blockNumber: -38020,
  blockTime: -38021,
  initCodeSize: -38025,
  clientLimit: -38026,
} as const

/**
 * No block could include the call; the message is geth's. Thrown before anything runs, so the
 * machine can be reused. Code -32000; `eth_simulateV1` answers {@link simulationCode} instead.
 */
export class CallRefusedError extends RefusedError {
  override name = 'CallRefusedError'
  readonly simulationCode: number

  constructor(message: string, simulationCode: number = ErrorCode.internal) {
    super(message)
    this.simulationCode = simulationCode
  }
}

export class CallRejectedError extends CallRefusedError {
  override name = 'CallRejectedError'
  override readonly isRejection: boolean = true
}

/** The sender's balance does not cover the value plus gas and blobs at their maximum prices. */
export function fundsMissing(from: Uint8Array, have: bigint, want: bigint): CallRejectedError {
  return new CallRejectedError(
    `insufficient funds for gas * price + value: address ${toHex(from)} have ${have} want ${want}`,
    SimulationCode.funds,
  )
}

/** The call reverted: code 3, with the revert bytes as data. */
export class ExecutionRevertedError extends DevnetError {
  override name = 'ExecutionRevertedError'
  constructor(message: string, data: Hex) {
    super(ErrorCode.executionReverted, message, { data })
  }
}

/** The call halted other than by a revert, for example out of gas: code -32000. */
export class ExecutionHaltedError extends RefusedError {
  override name = 'ExecutionHaltedError'
}

/**
 * The transaction was sealed in instant mode, and failed. Code, message and data are those of the
 * failed call; if it did not revert, `data` holds the hash, as on hardhat node.
 */
export class SendFailedError extends DevnetError {
  override name = 'SendFailedError'
  readonly transactionHash: Hex

  constructor(failure: DevnetError, transactionHash: Hex) {
    const { code, message } = failure
    const isRevert = code === ErrorCode.executionReverted
    const data = isRevert ? failure.data : { message, txHash: transactionHash, data: '0x' }
    super(code, message, { cause: failure, data })
    this.transactionHash = transactionHash
  }
}
