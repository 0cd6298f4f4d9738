import { AsyncLocalStorage } from 'node:async_hooks'
import type { NetworkConnection } from 'hardhat/types/network'
import type { JsonRpcRequest, JsonRpcResponse } from 'hardhat/types/providers'
import { SerialQueue } from '../../devnet/pluginApi.ts'
import { type AddSender, defaultSender } from './default-sender.ts'
import type { LocalNode } from './local-node.ts'
import { isPassedOn } from './passed-on.ts'
import { SUBSCRIPTION_METHODS } from './subscription-events.ts'

/** Methods, besides sends, to which Hardhat adds a `from`. */
const CALL_METHODS: ReadonlySet<string> = new Set(['eth_call', 'eth_estimateGas'])

/** Answers the requests of one connection to a node in this process. */
export class LocalRequests {
  readonly #node: LocalNode
  readonly #addSender: AddSender
  readonly #sends = new SerialQueue()
  readonly #sending = new AsyncLocalStorage<true>()

  constructor(connection: NetworkConnection<string>, node: LocalNode) {
    this.#addSender = defaultSender(connection)
    this.#node = node
  }

  /** @param passOn - sends the request through Hardhat's own handlers to the node */
  async answer(
    request: JsonRpcRequest,
    passOn: () => Promise<JsonRpcResponse>,
  ): Promise<JsonRpcResponse> {
    const { collected } = this.#node
    // What was collected belongs to the chain as it is, which the request may change.
    const before = collected.settle()
    if (before !== undefined) await before
    const response = await this.#route(request, passOn)
    if (collected.wantsCalls && request.method === 'eth_call' && 'result' in response) {
      collected.called(await this.#addSender(request))
    }
    return response
  }

  #route(
    request: JsonRpcRequest,
    passOn: () => Promise<JsonRpcResponse>,
  ): Promise<JsonRpcResponse> {
    const { method } = request
    const isSubscription = SUBSCRIPTION_METHODS.has(method)
    if (this.#node.transport === 'http' && !isSubscription) return passOn()
    if (method === 'eth_sendTransaction') return this.#send(passOn)
    if (isPassedOn(method)) return passOn()
    const before = this.#sentBefore()
    const ask = CALL_METHODS.has(method)
      ? async () => await this.#node.request(await this.#addSender(request))
      : () => this.#node.request(request)
    return before === undefined ? ask() : before.then(ask)
  }

  /**
   * Passes on one send at a time, so that transactions that a test sends without awaiting each one
   * get their nonces in the order of the calls, as on Hardhat's own network. Handlers may take
   * longer for one than for the next, and each has a socket of its own over HTTP.
   */
  #send(passOn: () => Promise<JsonRpcResponse>): Promise<JsonRpcResponse> {
    // A handler may send during a send. If its send were queued, both would wait forever.
    if (this.#sending.getStore() === true) return passOn()
    return this.#sends.run(() => this.#sending.run(true, passOn))
  }

  /** Resolves when what was sent before has reached the node, so that requests keep their order. */
  #sentBefore(): Promise<void> | undefined {
    const isDuringSend = this.#sending.getStore() === true
    return this.#sends.busy && !isDuringSend ? this.#sends.run(() => undefined) : undefined
  }
}
