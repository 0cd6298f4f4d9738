import { DevnetError, ErrorCode, shorten } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import { kindOf, type Problem } from '../../primitives/reader.ts'

/** Error codes of wallets, in addition to {@link ErrorCode}. */
export const WalletErrorCode = {
  /** The user rejected the request (EIP-1193). */
  userRejected: 4001,
  /** Account not connected (EIP-1193), or method not supported (as in Base wallets). */
  unauthorized: 4100,
  /** The wallet cannot reach the active chain (EIP-1193). */
  chainDisconnected: 4901,
  /** The wallet does not know the chain. */
  unknownChain: 4902,
  /** The same prompt is already open, or the deadline passed (EIP-1474). */
  unavailable: -32002,
  /** A required capability is not supported (EIP-5792). */
  unsupportedCapability: 5700,
  /** The batch's chain is not supported (EIP-5792). */
  unsupportedChain: 5710,
  /** The batch id is taken (EIP-5792). */
  duplicateBatch: 5720,
  /** The batch id is unknown (EIP-5792). */
  unknownBatch: 5730,
  /** The batch has too many calls (EIP-5792). */
  batchTooLarge: 5740,
  /** The user refused an upgrade that atomic execution needs (EIP-5792). */
  upgradeRejected: 5750,
  /** Atomic execution is not supported (EIP-5792). */
  atomicityUnsupported: 5760,
} as const

/** Machine-readable reason why a parameter was refused. */
type ParamProblem =
  | Problem
  | 'missing'
  | 'checksum'
  | 'symbol-mismatch'
  | 'chain-mismatch'
  | 'mismatch'
  | 'unreachable'

/** A parameter is malformed: code -32602, with `data: { field, reason, received }`. */
export class WalletParamsError extends DevnetError {
  override name = 'WalletParamsError'

  /**
   * @param field - path in the parameters, e.g. `nativeCurrency.decimals`; `params` for all of them
   * @param expected - completes the message `<field> must be …`
   */
  constructor(field: string, reason: ParamProblem, expected: string, received?: unknown) {
    const data = { field, reason, received: shortened(received) }
    const given = reason === 'type' ? `, not ${kindOf(received)}` : ''
    const message = `Invalid params: ${field} must be ${expected}${given}.`
    super(ErrorCode.invalidParams, message, { data })
  }
}

/** The user rejected the request: code 4001. */
export class UserRejectedError extends DevnetError {
  override name = 'UserRejectedError'
  /** @param reason - why, if the user did not simply reject it, e.g. `reset` */
  constructor(reason?: string) {
    super(WalletErrorCode.userRejected, 'User rejected the request', {
      data: reason === undefined ? undefined : { reason },
    })
  }
}

/** The wallet does not support the method: code 4100 unless the options set another. */
export class UnsupportedMethodError extends DevnetError {
  override name = 'UnsupportedMethodError'
  constructor(method: string, code: number) {
    const data = { kind: 'unsupported', method: shortened(method) }
    super(code, 'Requested method not supported', { data })
  }
}

/** The account is not connected to the client's origin: code 4100. */
export class UnauthorizedError extends DevnetError {
  override name = 'UnauthorizedError'
  constructor(account: Hex | undefined) {
    super(
      WalletErrorCode.unauthorized,
      'The account has not been connected: ask for it with eth_requestAccounts first.',
      { data: { kind: 'unauthorized', account } },
    )
  }
}

/** The wallet does not know the chain, or is configured not to add it: code 4902. */
export class UnknownChainError extends DevnetError {
  override name = 'UnknownChainError'
  constructor(chainId: Hex, hint: string) {
    super(WalletErrorCode.unknownChain, 'Unrecognized chain ID', { data: { chainId, hint } })
  }
}

/** Shortens a received value so that an error can repeat it. */
function shortened(value: unknown): unknown {
  if (value === undefined || value === null) return value
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value === 'string') return shorten(value, 100)
  // Callers in this process may pass a bigint, which `JSON.stringify` rejects.
  const plain = (_key: string, one: unknown) => (typeof one === 'bigint' ? String(one) : one)
  try {
    return shorten(JSON.stringify(value, plain) ?? '', 100)
  } catch {
    // They may also pass an object that holds itself.
    return kindOf(value)
  }
}
