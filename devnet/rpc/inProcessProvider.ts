import type { JsonText } from '../primitives/jsonText.ts'
import { Listeners } from '../primitives/listeners.ts'
import type { ProcessHold } from '../primitives/processHold.ts'
import { inProcessTime } from '../primitives/turnTime.ts'
import type { PushConnection } from '../stream/subscriptions.ts'
import type { Provider, ProviderMessage, RequestArguments } from '../types.ts'
import type { Dispatch } from './dispatch.ts'
import type { Caller } from './method.ts'

interface RunningNode {
  readonly dispatch: Pick<Dispatch, 'request'>
  /** Aborts when the node stops. */
  readonly signal: AbortSignal
  /** See {@link Caller.isSpared}. */
  readonly isSpared?: boolean
}

export class InProcessProvider implements Provider {
  readonly #node: () => RunningNode
  readonly #hold: ProcessHold
  readonly #connection: InProcessConnection

  /**
   * @param node - returns the running node; throws if the node is not running
   * @param hold - keeps the process alive while requests are under way
   * @param onInternalError - called with errors that message listeners throw
   */
  constructor(
    node: () => RunningNode,
    hold: ProcessHold,
    onInternalError: (error: unknown) => void,
  ) {
    this.#node = node
    this.#hold = hold
    this.#connection = new InProcessConnection(onInternalError)
  }

  async request(args: RequestArguments): Promise<unknown> {
    const { dispatch, signal, isSpared } = this.#node()
    const caller = new InProcessCaller(signal, this.#connection, isSpared)
    this.#hold.acquire()
    try {
      return await dispatch.request(args, caller)
    } finally {
      const turn = inProcessTime.pause()
      if (turn !== undefined) await turn
      const delivered = this.delivered()
      if (caller.hasSubscribed) this.#connection.answered()
      else if (delivered !== undefined) await delivered
      this.#hold.release()
    }
  }

  on(event: string, listener: (message: ProviderMessage) => void): this {
    if (event === 'message') this.#connection.listen(listener)
    return this
  }

  removeListener(event: string, listener: (message: ProviderMessage) => void): this {
    if (event === 'message') this.#connection.unlisten(listener)
    return this
  }

  /** Resolves once every message so far has been emitted; `undefined` if none is held back. */
  delivered(): Promise<void> | undefined {
    return this.#connection.delivered()
  }

  close(): void {
    this.#connection.close()
  }
}

/** The connection of one provider: notifications become `message` events (EIP-1193). */
class InProcessConnection implements PushConnection {
  readonly #messages: Listeners<[ProviderMessage]>
  readonly #ends = new Map<(message: ProviderMessage) => void, () => void>()
  readonly #closeListeners = new Set<() => void>()
  /** Number of unanswered requests that have subscribed. Until it is 0, messages are held back. */
  #subscribing = 0
  #held: ProviderMessage[] = []
  #released = Promise.withResolvers<void>()

  constructor(onInternalError: (error: unknown) => void) {
    this.#messages = new Listeners(onInternalError)
  }

  notify(method: string, params: JsonText): void {
    if (this.#messages.size === 0) return
    const message: ProviderMessage = { type: method, data: JSON.parse(params.text) }
    if (this.#subscribing > 0) this.#held.push(message)
    else this.#messages.emit(message)
  }

  onClose(listener: () => void): void {
    this.#closeListeners.add(listener)
  }

  listen(listener: (message: ProviderMessage) => void): void {
    if (this.#ends.has(listener)) return
    this.#ends.set(listener, this.#messages.add(listener))
  }

  unlisten(listener: (message: ProviderMessage) => void): void {
    this.#ends.get(listener)?.()
    this.#ends.delete(listener)
  }

  hold(): void {
    this.#subscribing++
  }

  /** Releases the held messages, but not before the caller has its answer. */
  answered(): void {
    process.nextTick(() => this.#release())
  }

  delivered(): Promise<void> | undefined {
    return this.#subscribing === 0 ? undefined : this.#released.promise
  }

  close(): void {
    for (const listener of this.#closeListeners) listener()
    this.#closeListeners.clear()
  }

  #release(): void {
    if (--this.#subscribing > 0) return
    const held = this.#held
    this.#held = []
    for (const message of held) this.#messages.emit(message)
    this.#released.resolve()
    this.#released = Promise.withResolvers()
  }
}

class InProcessCaller implements Caller {
  readonly signal: AbortSignal
  readonly origin = undefined
  readonly isSpared: boolean
  readonly #connection: InProcessConnection
  hasSubscribed = false

  constructor(signal: AbortSignal, connection: InProcessConnection, isSpared = false) {
    this.signal = signal
    this.#connection = connection
    this.isSpared = isSpared
  }

  subscribe(): PushConnection {
    if (!this.hasSubscribed) this.#connection.hold()
    this.hasSubscribed = true
    return this.#connection
  }
}
