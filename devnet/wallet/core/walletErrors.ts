import { DevnetError, ErrorCode } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'

/** Error codes of wallets, beside those of {@link ErrorCode}. */
export const WalletErrorCode = {
  /** The person said no (EIP-1193). */
  userRejected: 4001,
  /** No such method in this wallet (Base); the account is not connected (EIP-1193). */
  unauthorized: 4100,
  /** The wallet has no way to the active chain (EIP-1193). */
  chainDisconnected: 4901,
  /** The wallet does not know the chain. */
  unknownChain: 4902,
  /** The same prompt is open already, or nobody decided in time (EIP-1474). */
  unavailable: -32002,
  /** A capability that is not optional is not supported (EIP-5792). */
  unsupportedCapability: 5700,
  /** The batch's chain is not supported (EIP-5792). */
  unsupportedChain: 5710,
  /** There is a batch with this id (EIP-5792). */
  duplicateBatch: 5720,
  /** There is no batch with this id (EIP-5792). */
  unknownBatch: 5730,
  /** The batch has too many calls (EIP-5792). */
  batchTooLarge: 5740,
  /** The calls cannot be made all or none (EIP-5792). */
  atomicityUnsupported: 5760,
} as const

/** What is wrong with a parameter, for programs. */
export type ParamProblem =
  | 'missing'
  | 'type'
  | 'format'
  | 'range'
  | 'length'
  | 'scheme'
  | 'unknown-field'
  | 'symbol-mismatch'
  | 'chain-mismatch'
  | 'mismatch'
  | 'unreachable'
  | 'unsupported'

/** A parameter is malformed: code -32602, and `data` says which one, why, and what came. */
export class WalletParamsError extends DevnetError {
  override name = 'WalletParamsError'

  /**
   * @param field - path in the parameter, e.g. `nativeCurrency.decimals`, or `params`
   * @param expected - ends the sentence `<field> must be …`
   */
  constructor(field: string, reason: ParamProblem, expected: string, received?: unknown) {
    const data = { field, reason, received: shortened(received) }
    super(ErrorCode.invalidParams, `Invalid params: ${field} must be ${expected}.`, { data })
  }
}

/** The person said no: code 4001. */
export class UserRejectedError extends DevnetError {
  override name = 'UserRejectedError'
  /** @param reason - where it was not a plain no, e.g. `deadline` */
  constructor(reason?: string) {
    super(WalletErrorCode.userRejected, 'User rejected the request', {
      data: reason === undefined ? undefined : { reason },
    })
  }
}

/** The wallet does not have the method: code 4100, or the one that the options name. */
export class UnsupportedMethodError extends DevnetError {
  override name = 'UnsupportedMethodError'
  constructor(method: string, code: number) {
    const data = { kind: 'unsupported', method: shortened(method) }
    super(code, 'Requested method not supported', { data })
  }
}

/** The account is not connected to the origin that asks: code 4100. */
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

/** The wallet does not know the chain, or is not to know it: code 4902. */
export class UnknownChainError extends DevnetError {
  override name = 'UnknownChainError'
  constructor(chainId: Hex, hint: string) {
    super(WalletErrorCode.unknownChain, 'Unrecognized chain ID', { data: { chainId, hint } })
  }
}

/** What came, as far as an error repeats it. */
function shortened(value: unknown): unknown {
  if (value === undefined || value === null) return value
  if (typeof value === 'number' || typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value : (JSON.stringify(value, withoutBigInt) ?? '')
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

/** In process, such a value may come too. */
function withoutBigInt(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
