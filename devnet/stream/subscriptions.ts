import { randomBytes } from 'node:crypto'
import { DevnetError, ErrorCode, LimitError, RefusedError } from '../primitives/errors.ts'
import type { Hex } from '../primitives/hex.ts'
import { memoize } from '../primitives/memo.ts'
import type { PushConnection } from '../rpc/method.ts'

/** The caller has no connection that can be pushed to: code -32601, in geth's words. */
export class NotificationsUnsupportedError extends DevnetError {
  override name = 'NotificationsUnsupportedError'
  constructor() {
    super(ErrorCode.methodNotFound, 'notifications not supported')
  }
}

/** Takes one result of a subscription, as JSON text. */
export type Push = (result: string) => void

/** Starts sending results to `push`; answers the function that ends it. */
export type StartSubscription = (push: Push) => () => void

const ID_BYTES = 16

/** The subscriptions of one connection; they end with it. */
export class Subscriptions {
  readonly #connection: PushConnection
  readonly #stops = new Map<string, () => void>()
  #isClosed = false

  constructor(connection: PushConnection) {
    this.#connection = connection
    connection.onClose(() => this.#close())
  }

  /**
   * Starts a subscription, and answers its id: random, because the ids of others are nobody's business.
   *
   * @param most how many the connection may have
   * @throws {LimitError} when it has as many; @throws {RefusedError} when the connection has closed meanwhile
   */
  add(start: StartSubscription, most: number): Hex {
    if (this.#isClosed) throw new RefusedError('the connection has closed')
    if (this.#stops.size >= most) {
      throw new LimitError(`this connection has ${most} subscriptions, which is the limit`)
    }
    const subscription: Hex = `0x${randomBytes(ID_BYTES).toString('hex')}`
    const stop = start((result) => {
      this.#connection.notify(
        'eth_subscription',
        `{"subscription":"${subscription}","result":${result}}`,
      )
    })
    this.#stops.set(subscription, stop)
    // What it sent at once may have been too much for the connection.
    if (this.#isClosed) this.#close()
    return subscription
  }

  /** Ends a subscription; answers false where this connection has none with that id. */
  remove(id: string): boolean {
    const stop = this.#stops.get(id)
    if (stop === undefined) return false
    this.#stops.delete(id)
    stop()
    return true
  }

  #close(): void {
    this.#isClosed = true
    for (const stop of this.#stops.values()) stop()
    this.#stops.clear()
  }
}

/** The table of a connection. */
export const subscriptionsOf = memoize(
  (connection: PushConnection) => new Subscriptions(connection),
)
