import type { HardhatPluginError } from 'hardhat/plugins'
import type { JsonRpcRequest, JsonRpcResponse } from 'hardhat/types/providers'
import { createDevnet, ProviderError } from '../../devnet/index.ts'
import type { Devnet } from '../../devnet/types.ts'
import type { PendingNodeTransport } from '../types.ts'
import type { PendingNodeNetwork } from './connecting.ts'
import { pluginError } from './plugin-error.ts'

/** The node of one connection. */
export class LocalNode {
  readonly devnet: Devnet
  readonly transport: PendingNodeTransport

  private constructor(devnet: Devnet, transport: PendingNodeTransport) {
    this.devnet = devnet
    this.transport = transport
  }

  /** @throws {HardhatPluginError} with the reason, when its options do not do or it cannot listen */
  static async start(networkName: string, network: PendingNodeNetwork): Promise<LocalNode> {
    const { transport, ...options } = network.pendingNode
    try {
      const devnet = createDevnet({ port: 0, ...withChainId(options, network.chainId) })
      await devnet.start()
      warming ??= warmUp(devnet)
      await warming
      const node = new LocalNode(devnet, transport)
      if (network.chainId === undefined || network.chainId === devnet.chainId) return node
      await node.stop()
      throw new Error(
        `its genesis file has chain id ${devnet.chainId}, and the network's chainId is ${network.chainId}.`,
      )
    } catch (error) {
      throw cannotStart(networkName, error)
    }
  }

  get url(): string {
    return this.devnet.url
  }

  /** Answers without a socket. */
  async request({ id, method, params }: JsonRpcRequest): Promise<JsonRpcResponse> {
    try {
      const result = await this.devnet.provider.request({ method, params })
      return { jsonrpc: '2.0', id, result }
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      const { code, message, data } = error
      return {
        jsonrpc: '2.0',
        id,
        error: { code, message, ...(data === undefined ? {} : { data }) },
      }
    }
  }

  /** @throws {HardhatPluginError} when the state cannot be saved; all else is done then */
  async stop(): Promise<void> {
    await this.devnet.stop()
  }
}

let warming: Promise<void> | undefined

/** Loads the EVM with the first node of a process: it would load soon in any case, and the next connections would wait for it. */
async function warmUp({ provider }: Devnet): Promise<void> {
  const to = '0x0000000000000000000000000000000000000000'
  // What it answers does not matter, be it an error of an unusual genesis file.
  await provider.request({ method: 'eth_call', params: [{ to }, 'pending'] }).catch(() => undefined)
}

/** What the network says of its chain id holds for its node too. */
function withChainId(
  options: Omit<PendingNodeNetwork['pendingNode'], 'transport'>,
  chainId: number | undefined,
): Omit<PendingNodeNetwork['pendingNode'], 'transport'> {
  const isGiven = options.chainId !== undefined || options.genesis !== undefined
  return isGiven || chainId === undefined ? options : { ...options, chainId }
}

function cannotStart(networkName: string, error: unknown): HardhatPluginError {
  const cause = error instanceof Error ? error : new Error(String(error))
  const hint =
    cause.name === 'ListenError'
      ? ` Leave networks.${networkName}.pendingNode.port and hostname out: then each connection takes a free port of this machine.`
      : ''
  return pluginError(
    `The node of network "${networkName}" cannot start: ${cause.message}${hint}`,
    cause,
  )
}
