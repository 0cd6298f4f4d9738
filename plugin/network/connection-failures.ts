import type { HookContext } from 'hardhat/types/hooks'
import type { NetworkConnection } from 'hardhat/types/network'
import type { FailedJsonRpcResponse, JsonRpcRequest } from 'hardhat/types/providers'
import type { Hex } from '../../devnet/index.ts'
import { DevnetError, ErrorCode } from '../../devnet/pluginApi.ts'
import { type Ask, failureOf } from '../rpc-client.ts'
import { DefaultSender } from './default-sender.ts'
import {
  EXPLAINED_METHODS,
  explainRequest,
  explainTransaction,
  type FailureSource,
} from './failed-request.ts'
import type { LocalNode } from './local-node.ts'

/** Explains the failures of the requests of one connection. */
export class ConnectionFailures {
  readonly #source: FailureSource
  readonly #connection: NetworkConnection<string>
  readonly #sender: DefaultSender
  readonly #isLocal: boolean
  #isOn: Promise<boolean> | undefined

  /** @param node - `undefined` if there is none in this process */
  constructor(
    context: HookContext,
    connection: NetworkConnection<string>,
    node: LocalNode | undefined,
  ) {
    const provider = node?.devnet.provider ?? connection.provider
    const ask: Ask = (method, ...params) => provider.request({ method, params })
    this.#source = {
      context,
      networkName: connection.networkName,
      ask,
      hardfork: node === undefined ? undefined : hardhatName(node.devnet.options.hardfork),
    }
    this.#connection = connection
    this.#sender = new DefaultSender(connection)
    this.#isLocal = node !== undefined
  }

  /**
   * @param request - as the node has got it, but for the sender that Hardhat adds
   * @returns the error with Solidity frames; `undefined` if there are none for it
   */
  async explain(
    request: JsonRpcRequest,
    { error }: FailedJsonRpcResponse,
  ): Promise<Error | undefined> {
    const { message, data } = error
    if (!EXPLAINED_METHODS.has(request.method) || !isHex(data)) return undefined
    if (!(await this.#explains())) return undefined
    return await explainRequest(this.#source, await this.#sender.addTo(request), { message, data })
  }

  /**
   * The error of a transaction that a tick has executed and that failed, with Solidity frames if
   * there are any for it.
   */
  async ofTransaction(hash: Hex): Promise<Error> {
    const { code, message, data } = await failureOf(this.#source.ask, hash)
    const failure = { message, data, transactionHash: hash }
    const isExplained = code === ErrorCode.executionReverted && (await this.#explains())
    const explained = isExplained ? await explainTransaction(this.#source, failure) : undefined
    if (explained !== undefined) return explained
    return Object.assign(new DevnetError(code, message, { data }), { transactionHash: hash })
  }

  #explains(): Promise<boolean> {
    this.#isOn ??= this.#findOut()
    return this.#isOn
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

function isHex(value: unknown): value is Hex {
  return typeof value === 'string' && value.startsWith('0x')
}

/** Hardhat's name of a hardfork; what only changes blobs it knows by the name of the one before. */
function hardhatName(hardfork: string): string {
  if (hardfork === 'paris') return 'merge'
  return hardfork.startsWith('bpo') ? 'osaka' : hardfork
}
