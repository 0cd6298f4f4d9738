import type { HardhatPluginError } from 'hardhat/plugins'
import type { HookContext } from 'hardhat/types/hooks'
import type {
  FailedJsonRpcResponse,
  JsonRpcRequest,
  JsonRpcResponse,
} from 'hardhat/types/providers'
import {
  createDevnet,
  type Devnet,
  type Hex,
  type OptionsInput,
  ProviderError,
} from '../../devnet/index.ts'
import { plainText } from '../../devnet/pluginApi.ts'
import { ArtifactFolder } from '../artifacts/artifact-folder.ts'
import type { PendingNodeNetwork } from '../network-config.ts'
import type { PendingNodeTransport } from '../types.ts'
import { Collected } from './collected.ts'
import { ConsoleLines } from './failures/console-lines.ts'
import { nodeOptions } from './node-options.ts'
import { addCause, pluginError } from './plugin-error.ts'

export class LocalNode {
  /** The node of the connection. */
  readonly own: Devnet
  /** The chain that it asks instead, for `explore`; `undefined`: its own. */
  lent: Devnet | undefined
  readonly transport: PendingNodeTransport
  readonly collected: Collected
  readonly consoleLines = new ConsoleLines()
  /** Hashes of the transactions that were sealed although they failed, by the error of the send. */
  readonly #failed = new WeakMap<object, Hex>()

  private constructor(devnet: Devnet, transport: PendingNodeTransport, collected: Collected) {
    this.own = devnet
    this.transport = transport
    this.collected = collected
    devnet.on('consoleLog', this.consoleLines.print)
  }

  get devnet(): Devnet {
    return this.lent ?? this.own
  }

  /**
   * @param project - the one that connects
   * @throws {HardhatPluginError} if its options or chain id are wrong, or it cannot listen
   */
  static async start(
    networkName: string,
    network: PendingNodeNetwork,
    project: Pick<HookContext, 'config' | 'hooks'>,
  ): Promise<LocalNode> {
    const { transport } = network.pendingNode
    try {
      const options = await nodeOptions(network.pendingNode, network)
      const { readOwnWrites = true, likeHardhat = true } = options
      const contracts = new ArtifactFolder(project.config.paths.artifacts)
      const collected = await Collected.of(project.hooks)
      const devnet = createDevnet({
        port: 0,
        ...withChainId(options, network.chainId),
        readOwnWrites,
        likeHardhat,
        coverage: collected.coverage,
        contracts: options.contracts ?? contracts,
      })
      await devnet.start()
      try {
        warming ??= warmUp(devnet)
        await warming
        const { chainId = devnet.chainId } = network
        if (chainId !== devnet.chainId) {
          throw new Error(
            `its genesis file has chain id ${devnet.chainId}, and the network's chainId is ${chainId}.`,
          )
        }
        await collected.listen(devnet, contracts)
      } catch (error) {
        // Nobody else would stop this node.
        await devnet.stop().catch((later: unknown) => addCause(error, later))
        throw error
      }
      return new LocalNode(devnet, transport, collected)
    } catch (error) {
      throw cannotStart(networkName, error)
    }
  }

  /** Answers a request in this process, without a socket. */
  async request({ id, method, params }: JsonRpcRequest): Promise<JsonRpcResponse> {
    const jsonrpc = '2.0'
    try {
      return { jsonrpc, id, result: await this.devnet.provider.request({ method, params }) }
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      const { code, message, data, transactionHash } = error
      const body = { code, message, ...(data === undefined ? {} : { data }) }
      if (transactionHash !== undefined) this.#failed.set(body, transactionHash)
      return { jsonrpc, id, error: body }
    }
  }

  /**
   * The transaction that was sealed although it failed.
   *
   * @param error - of an answer of {@link request}; `undefined` if it has none, or is of another
   */
  failedTransaction(error: FailedJsonRpcResponse['error']): Hex | undefined {
    return this.#failed.get(error)
  }
}

let warming: Promise<void> | undefined

/**
 * Loads the EVM when the first node of a process starts, so that no request has to wait for it. All
 * connections wait for this one call, so it must not wait for the upstream of a fork: it reads only
 * the account that earns the fees, which the start has read.
 */
async function warmUp({ provider }: Devnet): Promise<void> {
  try {
    const earner = plainText(await provider.request({ method: 'eth_coinbase' }))
    // Code could read more.
    const withoutCode = { [earner]: { code: '0x' } }
    const call = { from: earner, to: earner }
    await provider.request({ method: 'eth_call', params: [call, 'pending', withoutCode] })
  } catch {
    // The result does not matter; with an unusual genesis file the call may fail.
  }
}

/** Gives the node the network's chain id, unless its options set a chain id or a genesis file. */
function withChainId(options: OptionsInput, chainId: number | undefined): OptionsInput {
  const isGiven = options.chainId !== undefined || options.genesis !== undefined
  return isGiven || chainId === undefined ? options : { ...options, chainId }
}

function cannotStart(networkName: string, error: unknown): HardhatPluginError {
  const cause = error instanceof Error ? error : new Error(plainText(error))
  const hint =
    cause.name === 'ListenError'
      ? ` Leave networks.${networkName}.pendingNode.port and hostname out: then each connection takes a free port of this machine.`
      : ''
  const reason = `${cause.message}${hint}`
  return pluginError(`The node of network "${networkName}" cannot start: ${reason}`, cause)
}
