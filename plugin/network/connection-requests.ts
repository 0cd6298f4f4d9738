import type { NetworkConnection } from 'hardhat/types/network'
import type {
  FailedJsonRpcResponse,
  JsonRpcRequest,
  JsonRpcResponse,
} from 'hardhat/types/providers'
import type { CallTrees } from './failures/call-trees.ts'
import type { ConnectionFailures } from './failures/connection-failures.ts'
import type { HeldLines } from './failures/console-lines.ts'
import { hasPlace, isHalt } from './failures/failure-kinds.ts'
import { noteLatestRead } from './latest-reads.ts'
import type { LocalNode } from './local-node.ts'
import { LocalRequests } from './local-requests.ts'

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
  readonly #local: LocalRequests | undefined

  constructor(connection: NetworkConnection<string>, parts: ConnectionParts) {
    this.#parts = parts
    this.#local = parts.node && new LocalRequests(connection, parts.node)
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
      const response = await (this.#local?.answer(request, passOn) ?? passOn())
      if ('error' in response) {
        // Libraries for Hardhat know by its bytes that code has failed.
        if (node !== undefined && isHalt(response.error)) response.error.data ??= '0x'
        await this.#explain(request, response, lines)
      } else if (trees !== undefined) {
        await trees.succeeded(request, response.result, () => lines?.discard())
      }
      lines?.release()
      // What a handler throws is the error of a request that has none of its own.
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
}
