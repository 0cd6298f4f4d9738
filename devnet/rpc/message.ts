import { DevnetError, ErrorCode } from '../errors.ts'
import { JsonText } from './jsonText.ts'

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
