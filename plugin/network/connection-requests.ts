import { AsyncLocalStorage } from 'node:async_hooks'
import type { NetworkConnection } from 'hardhat/types/network'
import type {
  FailedJsonRpcResponse,
  JsonRpcRequest,
  JsonRpcResponse,
} from 'hardhat/types/providers'
import { SerialQueue } from '../../devnet/pluginApi.ts'
import { type AddSender, defaultSender } from './default-sender.ts'
import type { CallTrees } from './failures/call-trees.ts'
import type { ConnectionFailures } from './failures/connection-failures.ts'
import type { HeldLines } from './failures/console-lines.ts'
import { hasPlace, isHalt } from './failures/failure-kinds.ts'
import { noteLatestRead } from './latest-reads.ts'
import type { LocalNode } from './local-node.ts'
import { isPassedOn } from './passed-on.ts'
import { SUBSCRIPTION_METHODS } from './subscription-events.ts'

/** Methods, besides sends, to which Hardhat adds a `from`. */
const CALL_METHODS: ReadonlySet<string> = new Set(['eth_call', 'eth_estimateGas'])

interface ConnectionParts {
  /** `undefined` if there is none in this process. */
  readonly node: LocalNode | undefined
  /** `undefined` if Hardhat prints none. */
  readonly trees: CallTrees | undefined
  readonly failures: () => Promise<ConnectionFailures>
}

/** Sends the requests of one connection, explains those that fail, and prints what they print. */
export class ConnectionRequests {
  readonly #parts: ConnectionParts
  readonly #addSender: AddSender
  readonly #sends = new SerialQueue()
  readonly #sending = new AsyncLocalStorage<true>()

  constructor(connection: NetworkConnection<string>, parts: ConnectionParts) {
    this.#parts = parts
    this.#addSender = defaultSender(connection)
  }

  /**
   * @param passOn - sends the request through Hardhat's own handlers to the node
   * @throws {SolidityError} if it fails and can be explained; what a handler of Hardhat throws
   */
  async send(
    request: JsonRpcRequest,
    passOn: () => Promise<JsonRpcResponse>,
  ): Promise<JsonRpcResponse> {
    const { node, trees } = this.#parts
    // Of what does not wait there is no promise: test runners watch each one, which is slow.
    const noted = node && noteLatestRead(request, node.devnet)
    if (noted !== undefined) await noted
    const lines = node?.consoleLines.hold(request)
    try {
      const response = await (node === undefined ? passOn() : this.#answer(node, request, passOn))
      if ('error' in response) {
        // Libraries for Hardhat know by its bytes that code has failed.
        if (node !== undefined && isHalt(response.error)) response.error.data ??= '0x'
        await this.#explain(request, response, lines)
      } else if (trees !== undefined) {
        await trees.succeeded(request, response.result, () => lines?.discard())
      }
      lines?.release()
      // An error that a handler throws fails the request, unless it has failed already.
      const handed = 'error' in response ? node?.collected.idle() : node?.collected.settle()
      if (handed !== undefined) await handed
      return response
    } catch (error) {
      lines?.release()
      await node?.collected.idle()
      throw error
    }
  }

  /** Stops the node, once all that it has reported was handed on. */
  async end(): Promise<void> {
    const { node, trees } = this.#parts
    await trees?.idle()
    // Measurements ask the node.
    await node?.collected.idle()
    await node?.devnet.stop()
    await node?.collected.settle()
  }

  async #explain(
    request: JsonRpcRequest,
    response: FailedJsonRpcResponse,
    lines: HeldLines | undefined,
  ): Promise<void> {
    if (!hasPlace(response.error)) return
    const { trees, failures } = this.#parts
    const explainer = await failures()
    const explain = () => explainer.explain(request, response, () => lines?.discard())
    const error = await (trees?.inOrder(explain) ?? explain())
    if (error !== undefined) throw error
  }

  /** Answers a request to a node in this process. */
  async #answer(
    node: LocalNode,
    request: JsonRpcRequest,
    passOn: () => Promise<JsonRpcResponse>,
  ): Promise<JsonRpcResponse> {
    const { collected } = node
    // What was collected belongs to the chain as it is, which the request may change.
    const before = collected.settle()
    if (before !== undefined) await before
    const response = await this.#route(node, request, passOn)
    if (collected.wantsCalls && request.method === 'eth_call' && 'result' in response) {
      collected.called(await this.#addSender(request))
    }
    return response
  }

  #route(
    node: LocalNode,
    request: JsonRpcRequest,
    passOn: () => Promise<JsonRpcResponse>,
  ): Promise<JsonRpcResponse> {
    const { method } = request
    const isSubscription = SUBSCRIPTION_METHODS.has(method)
    if (node.transport === 'http' && !isSubscription) return passOn()
    if (method === 'eth_sendTransaction') return this.#send(passOn)
    if (isPassedOn(method)) return passOn()
    const before = this.#sentBefore()
    const ask = CALL_METHODS.has(method)
      ? async () => await node.request(await this.#addSender(request))
      : () => node.request(request)
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
