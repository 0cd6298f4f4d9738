import { randomBytes } from 'node:crypto'
import type { Chain } from '../chain/chain.ts'
import { DevnetError, ErrorCode, LimitError, RefusedError } from '../primitives/errors.ts'
import { watchSize } from '../primitives/heldBytes.ts'
import type { Hex } from '../primitives/hex.ts'
import { JsonText, type SharedText } from '../primitives/jsonText.ts'
import { memoize } from '../primitives/memo.ts'

/** A connection that can be pushed to: a WebSocket or the in-process provider. */
export interface PushConnection {
  /** Sends one JSON-RPC notification. Closes the connection if its client reads too slowly. */
  notify(method: string, params: JsonText): void
  /** Calls `listener` once, when the connection has closed. */
  onClose(listener: () => void): void
}

/** Sends one result of a subscription, which all subscribers of a kind share. */
export type Push = (result: SharedText) => void

/** Starts sending results to `push`; returns a function that stops it. */
export type StartSubscription = (push: Push) => () => void

const ID_BYTES = 16

/** Most subscriptions of one connection, and of all together. */
interface SubscriptionLimits {
  readonly maxSubscriptions: number
  readonly maxTotalSubscriptions: number
}

/** Number of subscriptions to a chain, over all connections, and the account of their bytes. */
export const openSubscriptions = memoize(({ held }: Pick<Chain, 'held'>) => ({ count: 0, held }))

/** The subscriptions of one connection; they end when it closes. Exported for its test. */
export class Subscriptions {
  readonly #connection: PushConnection
  readonly #stops = new Map<string, () => void>()
  #isClosed = false

  constructor(connection: PushConnection) {
    this.#connection = connection
    connection.onClose(() => this.#close())
  }

  /**
   * Starts a subscription; returns its id, which is random so that others cannot guess it.
   *
   * @param open - counts the subscriptions of all connections
   * @param asked - what the client gave. Default: nothing
   * @throws {LimitError} if this connection, or all of them together, have as many as they may, or
   * the node holds too much
   * @throws {RefusedError} if the connection has closed
   */
  add(
    start: StartSubscription,
    open: ReturnType<typeof openSubscriptions>,
    limits: SubscriptionLimits,
    asked?: unknown,
  ): Hex {
    if (this.#isClosed) throw new RefusedError('the connection has closed')
    const { maxSubscriptions, maxTotalSubscriptions } = limits
    if (this.#stops.size >= maxSubscriptions) {
      throw new LimitError(
        `this connection has ${maxSubscriptions} subscriptions, which is the limit; end one with eth_unsubscribe, or start the node with a higher --max-subscriptions`,
      )
    }
    if (open.count >= maxTotalSubscriptions) {
      throw new LimitError(
        `the node has ${maxTotalSubscriptions} subscriptions, which is the limit; end one with eth_unsubscribe, or start the node with a higher --max-total-subscriptions`,
      )
    }
    const size = watchSize(asked)
    open.held.require(size, 'end some subscriptions with eth_unsubscribe')
    const subscription: Hex = `0x${randomBytes(ID_BYTES).toString('hex')}`
    const head = `{"subscription":"${subscription}","result":`
    const stop = start((result) => {
      this.#connection.notify('eth_subscription', new JsonText([head, result, '}']))
    })
    open.count++
    this.#stops.set(subscription, () => {
      open.count--
      open.held.add(-size)
      stop()
    })
    // The first results may have closed the connection, if its client reads too slowly.
    if (this.#isClosed) this.#close()
    return subscription
  }

  /** Ends a subscription; returns whether this connection had it. */
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

/**
 * The subscriptions of a connection.
 *
 * @throws {DevnetError} without a connection: code -32601, in geth's words
 */
export function subscriptionsOf(connection: PushConnection | undefined): Subscriptions {
  if (connection === undefined) {
    throw new DevnetError(ErrorCode.methodNotFound, 'notifications not supported')
  }
  return subscriptions(connection)
}

const subscriptions = memoize((connection: PushConnection) => new Subscriptions(connection))
