import { DevnetError, ErrorCode, RefusedError } from '../primitives/errors.ts'
import type { Hex } from '../primitives/hex.ts'

/** Codes of `eth_simulateV1` for calls that no block could hold (execution-apis). */
const SimulationCode = {
  nonceTooLow: -38010,
  nonceTooHigh: -38011,
  feeCapTooLow: -38012,
  intrinsicGas: -38013,
  funds: -38014,
  blockGasLimit: -38015,
  initCodeSize: -38025,
} as const

/**
 * A call that no block could hold, in geth's words. Found out before anything runs, so the machine stays whole. Code
 * -32000, except in `eth_simulateV1`, which has codes of its own for some.
 */
export class CallRefusedError extends RefusedError {
  override name = 'CallRefusedError'
  /** Code of the error in `eth_simulateV1`. */
  readonly simulationCode: number

  constructor(message: string, simulationCode: number = ErrorCode.internal) {
    super(message)
    this.simulationCode = simulationCode
  }
}

/** A gas price together with EIP-1559's fees. */
export class ConflictingFeesError extends CallRefusedError {
  override name = 'ConflictingFeesError'
  constructor() {
    super('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified', ErrorCode.server)
  }
}

/** The call names another chain. */
export class CallChainIdError extends CallRefusedError {
  override name = 'CallChainIdError'
  constructor(have: bigint, want: number) {
    super(`chainId does not match node's (have=${have}, want=${want})`, ErrorCode.server)
  }
}

/** The hardfork has no transactions of the type that the fields make (EIP-2718). */
export class CallTypeError extends CallRefusedError {
  override name = 'CallTypeError'
  constructor(type: number, hardfork: string) {
    super(`transaction type not supported: type ${type} under hardfork ${hardfork}`)
  }
}

/** The account has used the nonce up; only where nonces are checked. */
export class CallNonceTooLowError extends CallRefusedError {
  override name = 'CallNonceTooLowError'
  constructor(from: Hex, nonce: bigint, state: bigint) {
    super(
      `nonce too low: address ${from}, tx: ${nonce} state: ${state}`,
      SimulationCode.nonceTooLow,
    )
  }
}

/** The account is not at the nonce yet; only where nonces are checked. */
export class CallNonceTooHighError extends CallRefusedError {
  override name = 'CallNonceTooHighError'
  constructor(from: Hex, nonce: bigint, state: bigint) {
    super(
      `nonce too high: address ${from}, tx: ${nonce} state: ${state}`,
      SimulationCode.nonceTooHigh,
    )
  }
}

/** No nonce can follow on 2^64 - 1 (EIP-2681); only where nonces are checked. */
export class CallNonceMaximumError extends CallRefusedError {
  override name = 'CallNonceMaximumError'
  constructor(from: Hex, nonce: bigint) {
    super(`nonce has max value: address ${from}, nonce: ${nonce}`)
  }
}

/** The tip is above the fee cap (EIP-1559). */
export class CallTipError extends CallRefusedError {
  override name = 'CallTipError'
  constructor(from: Hex, tip: bigint, cap: bigint) {
    super(
      `max priority fee per gas higher than max fee per gas: address ${from}, maxPriorityFeePerGas: ${tip}, maxFeePerGas: ${cap}`,
      ErrorCode.invalidParams,
    )
  }
}

/** The fee cap is below the base fee of the block (EIP-1559). */
export class CallFeeCapError extends CallRefusedError {
  override name = 'CallFeeCapError'
  constructor(from: Hex, cap: bigint, baseFee: bigint) {
    super(
      `max fee per gas less than block base fee: address ${from}, maxFeePerGas: ${cap}, baseFee: ${baseFee}`,
      SimulationCode.feeCapTooLow,
    )
  }
}

/** The cap for blobs is below their price in the block (EIP-4844). */
export class CallBlobFeeCapError extends CallRefusedError {
  override name = 'CallBlobFeeCapError'
  constructor(from: Hex, cap: bigint, price: bigint) {
    super(
      `max fee per blob gas less than block blob gas fee: address ${from} blobGasFeeCap: ${cap}, blobBaseFee: ${price}`,
    )
  }
}

/** The blob hashes make no valid transaction (EIP-4844). */
export class CallBlobError extends CallRefusedError {
  override name = 'CallBlobError'
}

/** The authorizations make no valid transaction (EIP-7702). */
export class CallAuthorizationError extends CallRefusedError {
  override name = 'CallAuthorizationError'
}

/** The code of the contract to create is too long (EIP-3860). */
export class CallInitCodeError extends CallRefusedError {
  override name = 'CallInitCodeError'
  constructor(size: number, limit: number) {
    super(
      `max initcode size exceeded: code size ${size}, limit ${limit}`,
      SimulationCode.initCodeSize,
    )
  }
}

/** The call asks for more gas than the simulated block has left. */
export class CallBlockGasError extends CallRefusedError {
  override name = 'CallBlockGasError'
  constructor(left: bigint, gas: bigint) {
    super(
      `block gas limit reached: remaining: ${left}, required: ${gas}`,
      SimulationCode.blockGasLimit,
    )
  }
}

/** The sender cannot pay for the value and all gas at the highest price. */
export class CallFundsError extends CallRefusedError {
  override name = 'CallFundsError'
  constructor(from: Hex, have: bigint, want: bigint) {
    super(
      `insufficient funds for gas * price + value: address ${from} have ${have} want ${want}`,
      SimulationCode.funds,
    )
  }
}

/** The sender has nothing left for gas once the value is paid; only in estimates. */
export class CallTransferError extends CallRefusedError {
  override name = 'CallTransferError'
  constructor() {
    super('insufficient funds for transfer', SimulationCode.funds)
  }
}

/** The gas does not pay for the call's bytes (yellow paper 6.2), or for their floor price (EIP-7623). */
export class CallIntrinsicGasError extends CallRefusedError {
  override name = 'CallIntrinsicGasError'
  constructor(gas: bigint, minimum: bigint, what: 'intrinsic' | 'floor') {
    super(
      what === 'intrinsic'
        ? `intrinsic gas too low: have ${gas}, want ${minimum}`
        : `insufficient gas for floor data gas cost: have ${gas}, want ${minimum}`,
      SimulationCode.intrinsicGas,
    )
  }
}

/** The called code reverted: code 3, with the bytes it returned as data. */
export class ExecutionRevertedError extends DevnetError {
  override name = 'ExecutionRevertedError'
  /** @param message - see {@link revertMessage} */
  constructor(message: string, data: Hex) {
    super(ErrorCode.executionReverted, message, { data })
  }
}

/** The called code came to a halt other than a revert, e.g. out of gas: code -32000. */
export class ExecutionHaltedError extends RefusedError {
  override name = 'ExecutionHaltedError'
}

/** No gas that may be given is enough: code -32000. */
export class GasAllowanceError extends RefusedError {
  override name = 'GasAllowanceError'
  constructor(allowance: bigint) {
    super(`gas required exceeds allowance (${allowance})`)
  }
}
