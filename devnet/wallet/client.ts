import type { PushConnection } from '../rpc/method.ts'

/** Who asks the wallet. */
export interface WalletClient {
  /** Origin of the page; `null` for clients that are no browser. */
  readonly origin: string | null
  /** Aborts when the client hangs up or the node stops. */
  readonly signal: AbortSignal
  /**
   * Where events go; `undefined` over HTTP. Once a request has looked at it, what is pushed waits until that request is
   * answered.
   */
  readonly connection: PushConnection | undefined
}
