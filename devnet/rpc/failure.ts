import { DevnetError, ErrorCode } from '../errors.ts'
import type { ErrorBody } from './message.ts'
import type { Caller } from './method.ts'

/** Is told of every defect: an error that nobody threw on purpose, and where it came from, such as a method's name. */
export type InternalErrorListener = (error: unknown, source: string) => void

/** The listener where none is given. */
export function printDefect(error: unknown, source: string): void {
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
