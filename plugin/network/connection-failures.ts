import type { HookContext } from 'hardhat/types/hooks'
import type { NetworkConnection } from 'hardhat/types/network'
import type { FailedJsonRpcResponse, JsonRpcRequest } from 'hardhat/types/providers'
import type { Devnet, Hex } from '../../devnet/index.ts'
import { DevnetError, ErrorCode, isObject } from '../../devnet/pluginApi.ts'
import { type Ask, EXPLAINED_METHODS, failureOf, hasPlace } from '../rpc-client.ts'
import type { TransactionError } from '../types.ts'
import { DefaultSender } from './default-sender.ts'
import { explainRequest, explainTransaction, type FailureSource } from './failed-request.ts'
import type { LocalNode } from './local-node.ts'
import type { Failure } from './solidity-error.ts'

/** Explains the failures of the requests of one connection. */
export class ConnectionFailures {
  /** Where they come from. */
  readonly source: FailureSource
  readonly #connection: NetworkConnection<string>
  readonly #sender: DefaultSender
  readonly #isLocal: boolean
  readonly #isOn: () => Promise<boolean>

  /** @param node - `undefined` if there is none in this process */
  constructor(
    context: HookContext,
    connection: NetworkConnection<string>,
    node: LocalNode | undefined,
  ) {
    const provider = node?.devnet.provider ?? connection.provider
    const ask: Ask = (method, ...params) => provider.request({ method, params })
    this.source = {
      context,
      networkName: connection.networkName,
      ask,
      hardfork: memoized(async () =>
        node === undefined ? await anvilHardfork(ask) : hardhatName(node.devnet.options.hardfork),
      ),
    }
    this.#connection = connection
    this.#sender = new DefaultSender(connection)
    this.#isLocal = node !== undefined
    this.#isOn = memoized(() => this.#findOut())
  }

  /**
   * @param request - as the node has got it, but for the sender that Hardhat adds
   * @param onReplay - called once the request was executed again, and so has printed again
   * @returns the error with Solidity frames; `undefined` if there are none for it
   */
  async explain(
    request: JsonRpcRequest,
    { error }: FailedJsonRpcResponse,
    onReplay: () => void,
  ): Promise<Error | undefined> {
    const { code, message } = error
    // hardhat node has the bytes in an object. What does not revert has none.
    const given = isObject(error.data) ? error.data.data : error.data
    const data = code === ErrorCode.executionReverted ? given : '0x'
    if (!EXPLAINED_METHODS.has(request.method) || !isHex(data)) return undefined
    if (!(await this.#isOn())) return undefined
    const source = { ...this.source, onReplay }
    return await explainRequest(source, await this.#sender.addTo(request), { message, data })
  }

  /**
   * The error of a transaction that a tick has executed and that failed, with Solidity frames if
   * there are any for it.
   */
  async ofTransaction(hash: Hex): Promise<TransactionError> {
    const { code, message, data } = await failureOf(this.source.ask, hash)
    const failure = { message, data, transactionHash: hash }
    const isExplained = hasPlace({ code, message }) && (await this.#isOn())
    const explained = isExplained ? await explainTransaction(this.source, failure) : undefined
    const error = explained ?? new DevnetError(code, message)
    return Object.assign(error, { code, data, transactionHash: hash })
  }

  /** By default, failures are explained on nodes of this machine. */
  async #findOut(): Promise<boolean> {
    const { networkConfig } = this.#connection
    if (networkConfig.type !== 'http') return false
    if (networkConfig.stackTraces !== undefined) return networkConfig.stackTraces
    if (this.#isLocal) return true
    const { hostname } = new URL(await networkConfig.url.getUrl())
    return /^(?:localhost|127\..*|\[::1\])$/.test(hostname)
  }
}

/** The network of which a node that a task runs is, for explanations. */
const TASK_NETWORK = 'pending'

/** Solidity frames of a transaction that failed on a node that a task runs. */
export async function framesOf(
  { options, provider }: Devnet,
  context: FailureSource['context'],
  failure: Failure & { readonly transactionHash: Hex },
): Promise<readonly string[]> {
  if (!hasPlace(failure)) return []
  const source: FailureSource = {
    context,
    networkName: TASK_NETWORK,
    ask: (method, ...params) => provider.request({ method, params }),
    hardfork: async () => hardhatName(options.hardfork),
  }
  const error = await explainTransaction(source, failure)
  return error?.solidityStack.split('\n') ?? []
}

function isHex(value: unknown): value is Hex {
  return typeof value === 'string' && value.startsWith('0x')
}

function memoized<Value>(find: () => Promise<Value>): () => Promise<Value> {
  let found: Promise<Value> | undefined
  return () => {
    found ??= find()
    return found
  }
}

/** Hardhat's name of the hardfork of an anvil; `undefined` for a node that does not tell it. */
async function anvilHardfork(ask: Ask): Promise<string | undefined> {
  const info = await ask('anvil_nodeInfo').catch(() => undefined)
  if (!isObject(info) || typeof info.hardFork !== 'string') return undefined
  return hardhatName(info.hardFork.toLowerCase())
}

/** Hardhat's name of a hardfork; what only changes blobs it knows by the name of the one before. */
function hardhatName(hardfork: string): string {
  if (hardfork === 'paris') return 'merge'
  return hardfork.startsWith('bpo') ? 'osaka' : hardfork
}
