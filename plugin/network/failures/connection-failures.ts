import type { HookContext } from 'hardhat/types/hooks'
import type { NetworkConnection } from 'hardhat/types/network'
import type { FailedJsonRpcResponse, JsonRpcRequest } from 'hardhat/types/providers'
import type { ContractSource, Devnet, Hex } from '../../../devnet/index.ts'
import { DevnetError, ErrorCode, isHex, isObject, lazy } from '../../../devnet/pluginApi.ts'
import { ArtifactFolder } from '../../artifacts/artifact-folder.ts'
import { decodedMessage } from '../../artifacts/contract-names.ts'
import { asking } from '../../rpc-client.ts'
import type { TransactionError } from '../../types.ts'
import { type AddSender, defaultSender } from '../default-sender.ts'
import type { LocalNode } from '../local-node.ts'
import {
  attempt,
  executionOf,
  explain,
  type FailureSource,
  transactionOf,
} from './failed-request.ts'
import { EXPLAINED_METHODS, hasPlace, printsFailures, transactionFailure } from './failure-kinds.ts'
import type { Failure } from './solidity-error.ts'

export class ConnectionFailures {
  /** Their source. */
  readonly source: FailureSource
  readonly #connection: NetworkConnection<string>
  readonly #node: LocalNode | undefined
  readonly #contracts: ContractSource
  readonly #addSender: AddSender
  /** By default, failures are explained on nodes of this machine. */
  readonly #explains = lazy(async () => {
    const { networkConfig } = this.#connection
    if (networkConfig.type !== 'http') return false
    if (networkConfig.stackTraces !== undefined) return networkConfig.stackTraces
    if (this.#node !== undefined) return true
    const { hostname } = new URL(await networkConfig.url.getUrl())
    return /^(?:(?:.*\.)?localhost|127\..*|\[::1\])$/.test(hostname)
  })

  /** @param node - `undefined` if there is none in this process */
  constructor(
    context: HookContext,
    connection: NetworkConnection<string>,
    node: LocalNode | undefined,
  ) {
    this.source = {
      context,
      networkName: connection.networkName,
      ...(node === undefined ? { ask: asking(connection.provider) } : sourceOf(node.devnet)),
      // A tree is printed of whatever failed.
      ...(printsFailures(context) ? { maxGas: Number.POSITIVE_INFINITY } : {}),
    }
    this.#connection = connection
    this.#node = node
    this.#contracts = new ArtifactFolder(context.config.paths.artifacts)
    this.#addSender = defaultSender(connection)
  }

  /**
   * Never rejects.
   *
   * @param request - as the node has got it, but for the sender that Hardhat adds
   * @param response - gets a sentence if Hardhat's own network could not bear a replay
   * @param onReplay - called once the request was executed again, and so has printed again
   * @returns the error with Solidity frames; `undefined` if there are none for it
   */
  explain(
    request: JsonRpcRequest,
    { error }: FailedJsonRpcResponse,
    onReplay: () => void,
  ): Promise<Error | undefined> {
    return attempt(async () => {
      const { code, message } = error
      // hardhat node has the bytes in an object. What does not revert has none.
      const given = isObject(error.data) ? error.data.data : error.data
      const data = code === ErrorCode.executionReverted ? given : '0x'
      if (!EXPLAINED_METHODS.has(request.method) || !isHex(data)) return undefined
      if (!(await this.#explains())) return undefined
      const onRefusal = (reason: string) => {
        error.message = `${message}; ${reason}`
      }
      const source = { ...this.source, onReplay, onRefusal }
      const sent = await this.#addSender(request)
      const hash = this.#node?.failedTransaction(error)
      return await explain(source, { message, data }, () => executionOf(source.ask, sent, hash))
    })
  }

  /**
   * The error of a transaction that a tick has executed and that failed, with Solidity frames if
   * there are any for it.
   */
  async ofTransaction(hash: Hex): Promise<TransactionError> {
    const failed = await transactionFailure(this.source.ask, hash)
    const { code, message, data } = failed
    let refusal = ''
    const onRefusal = (reason: string) => {
      refusal = `; ${reason}`
    }
    const explained = await attempt(async () => {
      if (!hasPlace(failed) || !(await this.#explains())) return undefined
      const source = { ...this.source, onRefusal }
      return await explain(source, { message, data }, () => transactionOf(source.ask, hash))
    })
    const error =
      explained ?? new DevnetError(code, (await this.#decoded(failed)) + refusal, { data })
    return Object.assign(error, { code, data, transactionHash: hash })
  }

  async #decoded(failed: Awaited<ReturnType<typeof transactionFailure>>): Promise<string> {
    return (
      (await attempt(() => decodedMessage(this.source.ask, this.#contracts, failed))) ??
      failed.message
    )
  }
}

/**
 * Solidity frames of a transaction that failed on a node that a task runs. Never rejects.
 *
 * @param networkName - of the network that the node is of
 */
export async function framesOf(
  devnet: Devnet,
  { context, networkName }: Pick<FailureSource, 'context' | 'networkName'>,
  failure: Failure & { readonly transactionHash: Hex },
): Promise<readonly string[]> {
  if (!hasPlace(failure)) return []
  const source = { context, networkName, ...sourceOf(devnet) }
  const find = () => transactionOf(source.ask, failure.transactionHash)
  const error = await attempt(() => explain(source, failure, find))
  return error?.solidityStack.split('\n') ?? []
}

/** The facts about a node in this process. */
function sourceOf({ provider, options }: Devnet): Omit<FailureSource, 'context' | 'networkName'> {
  return {
    ask: asking(provider),
    // Hardhat's own network knows mainnet's limit, or none.
    allowsAnySize: options.codeSizeLimit !== undefined,
    latestIsTicks: options.latest === 'ticks',
  }
}
