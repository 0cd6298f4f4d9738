import { DevnetError, ErrorCode } from '../primitives/errors.ts'
import type { Caller } from '../rpc/method.ts'
import type { PushConnection } from '../stream/subscriptions.ts'

/** A client over HTTP or WebSocket. The signal is created on first use: few methods need it. */
export class RequestCaller implements Caller {
  readonly origin: string | undefined
  readonly isRemote = true
  status: number | undefined
  #controller: AbortController | undefined
  #reason: DevnetError | undefined

  constructor(origin: string | undefined) {
    this.origin = origin
  }

  subscribe(): PushConnection | undefined {
    return undefined
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#reason !== undefined) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  /** Aborts the signal, even one that is created later. */
  giveUp(reason: DevnetError): void {
    this.#reason ??= reason
    this.#controller?.abort(this.#reason)
  }
}

/** Reason of an aborted {@link Caller.signal}, though usually no client reads it. */
export function requestGivenUp(reason: 'the client hung up' | 'the node is stopping'): DevnetError {
  return new DevnetError(ErrorCode.server, `the request was given up: ${reason}`)
}
