import { JsonText } from '../json/jsonText.ts'
import { DevnetError, ErrorCode } from '../primitives/errors.ts'
import type { Caller } from './method.ts'

/** The error object of a JSON-RPC 2.0 answer. */
export interface ErrorBody {
  readonly code: number
  readonly message: string
  /** Left out of the answer when `undefined`. */
  readonly data?: unknown
}

/** Not a request object: code -32600 (JSON-RPC 2.0 §4). */
export class InvalidRequestError extends DevnetError {
  override name = 'InvalidRequestError'
  constructor(message: string) {
    super(ErrorCode.invalidRequest, message)
  }
}

/** The id of an answer to something that has none that can be read. */
export const NO_ID = 'null'

/**
 * The id of a request as JSON text; `undefined` for a notification.
 *
 * @throws {InvalidRequestError} for an id that is neither a string, a finite number nor null
 */
export function readId(request: { readonly id?: unknown }): string | undefined {
  const { id } = request
  if (typeof id === 'number' && Number.isFinite(id)) return String(id)
  if (typeof id === 'string') return JSON.stringify(id)
  if (id === undefined) return undefined
  if (id === null) return NO_ID
  throw new InvalidRequestError('invalid request: id must be a string, a number or null')
}

/**
 * A successful answer; a method with nothing to say answers null.
 *
 * @throws {TypeError} when the result holds a bigint
 */
export function resultText(id: string, result: unknown): string {
  const text = result instanceof JsonText ? result.text : JSON.stringify(result)
  return `{"jsonrpc":"2.0","id":${id},"result":${text ?? 'null'}}`
}

/** An answer that says what went wrong. */
export function errorText(id: string, { code, message, data }: ErrorBody): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`
}

/** Is told of every defect: an error that nobody threw on purpose, and where it came from, such as a method's name. */
export type InternalErrorListener = (error: unknown, source: string) => void

/** The listener where none is given. */
export function printInternalError(error: unknown, source: string): void {
  console.error(`Internal error in ${source}:`, error)
}

/** What a client is told of an error; one that is no {@link DevnetError} is reported as a defect. */
export function describeFailure(
  error: unknown,
  method: string,
  caller: Caller,
  onInternalError: InternalErrorListener,
): ErrorBody {
  if (error instanceof DevnetError) return error
  if (isAbort(error) && caller.signal.aborted) {
    // Timers and streams throw an error of their own when the signal they were given aborts.
    return { code: ErrorCode.server, message: 'the request was given up' }
  }
  onInternalError(error, method)
  return internalError(error)
}

/** The answer to a defect: code -32603. */
export function internalError(error: unknown): ErrorBody {
  const message = error instanceof Error ? error.message : String(error)
  return { code: ErrorCode.internal, message: `internal error: ${message}` }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

/** What {@link Provider.request} rejects with (EIP-1193): `code`, `message` and `data` as the JSON-RPC answer has them. */
export class ProviderError extends DevnetError {
  override name = 'ProviderError'
  constructor({ code, message, data }: ErrorBody, options: { cause?: unknown } = {}) {
    super(code, message, { ...options, data })
  }
}
