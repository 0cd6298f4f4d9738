import { DevnetError, ErrorCode } from '../primitives/errors.ts'
import type { Caller } from '../rpc/method.ts'
import type { PushConnection } from '../stream/subscriptions.ts'

/** Why {@link Caller.signal} aborted: code -32000, though mostly nobody is left to read it. */
export class RequestGivenUpError extends DevnetError {
  override name = 'RequestGivenUpError'
  constructor(reason: 'the client hung up' | 'the node is stopping') {
    super(ErrorCode.server, `the request was given up: ${reason}`)
  }
}

/** Who asks over a socket. The signal is made when a method first looks at it: few do. */
export class RequestCaller implements Caller {
  readonly origin: string | undefined
  #controller: AbortController | undefined
  #reason: RequestGivenUpError | undefined

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

  /** Aborts the signal, also one that is asked for only later. */
  giveUp(reason: RequestGivenUpError): void {
    this.#reason ??= reason
    this.#controller?.abort(this.#reason)
  }
}
