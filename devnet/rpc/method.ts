import type { RpcContext } from './context.ts'
import type { ParamsSchema } from './params.ts'

/** A connection that can be pushed to: a WebSocket or the provider in this process, not an HTTP request. */
export interface PushConnection {
  /**
   * Sends one JSON-RPC notification; a connection that reads too slowly is closed, others are not disturbed.
   *
   * @param params - JSON text, because one encoding serves many connections
   */
  notify(method: string, params: string): void
  /** Calls `listener` once, when the connection has closed. */
  onClose(listener: () => void): void
}

/** Who asks. */
export interface Caller {
  /** Aborts when the client hangs up or the node stops. */
  readonly signal: AbortSignal
  /** `undefined` over HTTP. */
  readonly connection: PushConnection | undefined
  /** The Origin header of a browser; `undefined` for other clients. */
  readonly origin: string | undefined
}

/** One JSON-RPC method: the default export of `methods/<name>.ts`. */
export interface RpcMethod<Params extends readonly unknown[] = readonly unknown[]> {
  /** Checks and reads the parameters; `undefined` for a method without any. */
  readonly params?: ParamsSchema<Params> | undefined
  /** Whether a web page may call it. Commands to the clocks and cheats are refused to browsers. Default: true. */
  readonly browser?: boolean
  /** Whether what follows in a batch waits until it is answered. Default: where {@link browser} is false. */
  ordered?(context: RpcContext): boolean
  /** Answers a JSON value, or a promise of one. @throws {DevnetError} */
  handle(context: RpcContext, params: Params, caller: Caller): unknown
}

/**
 * Defines a method; exists so that the types of the parameters follow from their schema.
 *
 * @example
 * export default defineMethod({
 *   params: params(address(), block().optional()),
 *   handle: (context, [address, reference]) => …,
 * })
 */
export function defineMethod<Params extends readonly unknown[] = readonly []>(
  method: RpcMethod<Params>,
): RpcMethod<Params> {
  return method
}

/** Method name → loader of its file, so that a method costs nothing before it is first asked for. */
export type MethodTable = Readonly<
  // A table holds methods with parameters of every kind; each checks its own before it runs.
  Record<string, () => Promise<{ readonly default: RpcMethod<never> }>>
>
