import { AsyncLocalStorage } from 'node:async_hooks'
import type { HookContext, NetworkHooks } from 'hardhat/types/hooks'
import type { NetworkConnection } from 'hardhat/types/network'
import type { JsonRpcRequest, JsonRpcResponse } from 'hardhat/types/providers'
import { SerialQueue } from '../../devnet/pluginApi.ts'
import type { CallTrees } from '../network/call-trees.ts'
import { ConnectionControls } from '../network/connection-controls.ts'
import type { ConnectionFailures } from '../network/connection-failures.ts'
import { DefaultSender } from '../network/default-sender.ts'
import type { LocalNode } from '../network/local-node.ts'
import { ownNode } from '../network/node-per-connection.ts'
import { failedHere, passOnHere } from '../network/passed-on.ts'
import {
  answerWithPreconfirmed,
  takesPreconfirmedAsLatest,
} from '../network/preconfirmed-as-latest.ts'
import { emitSubscriptions, SUBSCRIPTION_METHODS } from '../network/subscription-events.ts'
import { hasPlace } from '../rpc-client.ts'

export default async (): Promise<Partial<NetworkHooks>> => {
  const requests = new WeakMap<NetworkConnection<string>, LocalRequests>()
  const failures = new WeakMap<NetworkConnection<string>, () => Promise<ConnectionFailures>>()

  return {
    async newConnection(context, next) {
      const connection = await next(context)
      const node = await ownNode()
      let explainer: Promise<ConnectionFailures> | undefined
      const failuresOf = () => {
        // Imported only now: most connections have no failures.
        explainer ??= import('../network/connection-failures.ts').then(
          ({ ConnectionFailures }) => new ConnectionFailures(context, connection, node),
        )
        return explainer
      }
      failures.set(connection, failuresOf)
      if (node !== undefined) {
        const trees = await treesOf(context, node, failuresOf)
        requests.set(connection, new LocalRequests(connection, node, trees))
        if (node.transport === 'in-process') passOnHere(context, connection, node, isPassedOn)
        emitSubscriptions(connection, node.devnet.provider)
      }
      connection.pendingNode = new ConnectionControls(connection, node, failuresOf)
      connection[Symbol.asyncDispose] = () => connection.close()
      return connection
    },

    async closeConnection(context, connection, next) {
      try {
        await next(context, connection)
      } finally {
        const { node, trees } = requests.get(connection) ?? {}
        await trees?.idle()
        await node?.devnet.stop()
        await node?.collected.settled
      }
    },

    async onRequest(context, connection, request, next) {
      const failed = failedHere()
      if (failed !== undefined) return failed
      const local = requests.get(connection)
      const send = async (sent: JsonRpcRequest) => {
        const lines = local?.node.consoleLines.hold(sent)
        const passOn = () => next(context, connection, sent)
        try {
          const response = await (local?.answer(sent, passOn) ?? passOn())
          if (!('error' in response)) {
            const trees = local?.trees
            if (trees !== undefined) {
              await trees.succeeded(sent, response.result, () => lines?.discard())
            }
            return response
          }
          if (!hasPlace(response.error)) return response
          const explainer = await failures.get(connection)?.()
          const explain = () => explainer?.explain(sent, response, () => lines?.discard())
          const error = await (local?.trees?.inOrder(explain) ?? explain())
          if (error === undefined) return response
          throw error
        } finally {
          lines?.release()
          const settled = local?.node.collected.settled
          if (settled !== undefined) await settled
        }
      }
      return await (takesPreconfirmedAsLatest(connection)
        ? answerWithPreconfirmed(request, send)
        : send(request))
    },
  }
}

/** What prints the calls of a node's connection; `undefined` if Hardhat prints none. */
async function treesOf(
  context: HookContext,
  node: LocalNode,
  failuresOf: () => Promise<ConnectionFailures>,
): Promise<CallTrees | undefined> {
  if (context.globalOptions.verbosity < FAILURES_VERBOSITY) return undefined
  const { CallTrees } = await import('../network/call-trees.ts')
  return await CallTrees.of(context, node, (await failuresOf()).source)
}

/** Hardhat prints the trees of failed calls from this verbosity on (`-vvv`). */
const FAILURES_VERBOSITY = 3

/** Methods, besides sends, that Hardhat and its plugins handle, to sign for their own accounts. */
const HARDHAT_METHODS =
  /^(?:personal_|wallet_|eth_signTypedData|eth_(?:accounts|requestAccounts|sign|signTransaction)$)/

/** Whether Hardhat's own handlers have a say in a request. */
function isPassedOn(method: string): boolean {
  return method === 'eth_sendTransaction' || HARDHAT_METHODS.test(method)
}

/** Methods, besides sends, to which Hardhat adds a `from`. */
const CALL_METHODS: ReadonlySet<string> = new Set(['eth_call', 'eth_estimateGas'])

/** Answers the requests of one connection to a node in this process. */
class LocalRequests {
  readonly node: LocalNode
  readonly trees: CallTrees | undefined
  readonly #sender: DefaultSender
  readonly #sends = new SerialQueue()
  readonly #sending = new AsyncLocalStorage<true>()

  constructor(
    connection: NetworkConnection<string>,
    node: LocalNode,
    trees: CallTrees | undefined,
  ) {
    this.trees = trees
    this.#sender = new DefaultSender(connection)
    this.node = node
  }

  /** @param passOn - sends the request through Hardhat's own handlers to the node */
  async answer(
    request: JsonRpcRequest,
    passOn: () => Promise<JsonRpcResponse>,
  ): Promise<JsonRpcResponse> {
    const { collected } = this.node
    // What was collected belongs to the chain as it is, which the request may change.
    if (collected.settled !== undefined) await collected.settled
    const response = await this.#route(request, passOn)
    if (collected.wantsCalls && request.method === 'eth_call' && 'result' in response) {
      collected.called(await this.#sender.addTo(request))
    }
    return response
  }

  async #route(
    request: JsonRpcRequest,
    passOn: () => Promise<JsonRpcResponse>,
  ): Promise<JsonRpcResponse> {
    const { method } = request
    const isSubscription = SUBSCRIPTION_METHODS.has(method)
    if (this.node.transport === 'http' && !isSubscription) return await passOn()
    if (method === 'eth_sendTransaction') return await this.#send(passOn)
    if (HARDHAT_METHODS.test(method)) return await passOn()
    await this.#sentBefore()
    return await this.node.request(
      CALL_METHODS.has(method) ? await this.#sender.addTo(request) : request,
    )
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
