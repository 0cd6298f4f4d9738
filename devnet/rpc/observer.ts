import type { ConsoleCalls } from '../engine/consoleCalls.ts'
import type { CallRequest } from '../execution/types.ts'
import type { ErrorBody } from './message.ts'

/** What methods tell those who watch the node. */
export interface Observer {
  /** A call has printed with `console.log`; `undefined` for nothing. */
  printed(method: string, request: CallRequest, calls: ConsoleCalls | undefined): void
  /** Whether the log of requests is wanted. */
  setLogging(enabled: boolean): void
}

/**
 * Is told of a JSON-RPC message when it comes in; what it answers is called when that has been answered. Neither may throw.
 *
 * @param message - not checked yet; `undefined` for what is no JSON
 * @returns `undefined` where nobody watches
 */
export type RequestWatch = (message: unknown) => ((error?: ErrorBody) => void) | undefined
