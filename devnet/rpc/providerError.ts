import { DevnetError } from '../errors.ts'
import type { ErrorBody } from './message.ts'

/** What {@link Provider.request} rejects with (EIP-1193): `code`, `message` and `data` as the JSON-RPC answer has them. */
export class ProviderError extends DevnetError {
  override name = 'ProviderError'
  constructor({ code, message, data }: ErrorBody, options: { cause?: unknown } = {}) {
    super(code, message, { ...options, data })
  }
}
