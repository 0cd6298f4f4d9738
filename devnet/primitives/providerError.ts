import { DevnetError, type ErrorBody } from './errors.ts'
import type { Hex } from './hex.ts'

/** Error of a provider's `request` (EIP-1193), with the answer's code, message and data. */
export class ProviderError extends DevnetError {
  override name = 'ProviderError'
  /** 32 bytes: the transaction that instant mode sealed although it failed. Default: none */
  readonly transactionHash: Hex | undefined

  constructor(
    { code, message, data }: ErrorBody,
    { cause, transactionHash }: { cause?: unknown; transactionHash?: Hex | undefined } = {},
  ) {
    super(code, message, { cause, data })
    this.transactionHash = transactionHash
  }
}
