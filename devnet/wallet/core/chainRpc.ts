import { Scheduler } from '../../engine/scheduler.ts'
import { DevnetError, ErrorCode } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import { isObject, parseForeignInPieces } from '../../primitives/json.ts'
import { runPaced } from '../../primitives/paced.ts'
import { anything, listOf, orElse } from '../../primitives/reader.ts'
import { readError } from '../../rpc/jsonRpc.ts'
import { isLoopback } from '../../server/access.ts'
import type { RequestArguments } from '../../types.ts'
import { boundedPost } from './probe.ts'
import type { Session } from './session.ts'
import type { WalletClient } from './types.ts'
import { UnsupportedMethodError, WalletErrorCode } from './walletErrors.ts'
import { readParams } from './walletParams.ts'

/** More than a page asks for. What is larger would hold up the node while it is written again. */
const LIMITS = { timeout: 30_000, maxSize: 8 << 20 } as const

const PARAMS = orElse(listOf(anything, 'a list'), [])

/** Sends a request of a client to the active chain. @throws {DevnetError} */
export function forward(
  session: Session,
  method: string,
  params: unknown,
  client: WalletClient,
): Promise<unknown> {
  const args = { method, params: readParams(PARAMS, params) }
  return requestTo(session, session.chains.active, args, client)
}

/**
 * Sends a request to a chain: to the node in this process if that is its chain, otherwise to the
 * chain's first RPC URL.
 *
 * @throws {DevnetError}
 */
export async function requestTo(
  session: Session,
  chainId: Hex,
  args: RequestArguments,
  client: WalletClient,
): Promise<unknown> {
  const { node } = session.wallet
  const { signal, origin } = client
  const isPushed = /^eth_(?:un)?subscribe$/.test(args.method)
  // Now: another chain may be active once the method runs.
  const pushes = isPushed ? session.pushesTo(client.subscribe()) : undefined
  if (chainId === node.chainId) {
    const caller = { signal, origin: origin ?? undefined, subscribe: () => pushes }
    return await node.request(args, caller)
  }
  const url = rpcUrlOf(session, chainId)
  if (!isPushed) return await postRequest(session, url, args, signal)
  if (pushes !== undefined) return resultOf(args, await pushes.ask(url, args, signal))
  throw new UnsupportedMethodError(args.method, session.wallet.settings.unsupportedMethodCode)
}

/** True if the active chain is this node's, or that of an RPC on this machine. */
export function isLocal({ chains, wallet }: Session): boolean {
  if (chains.active === wallet.node.chainId) return true
  const url = chains.find(chains.active)?.rpcUrls[0]
  return url !== undefined && isLoopback(new URL(url).hostname)
}

/** Reads from the active chain for the approval page. @throws {DevnetError} */
export function readChain(
  session: Session,
  signal: AbortSignal,
  method: string,
  ...params: readonly unknown[]
): Promise<unknown> {
  return forward(session, method, params, { origin: null, signal, subscribe: () => undefined })
}

/** @throws {DevnetError} code 4901 (EIP-1193) if the chain has no RPC URL */
export function rpcUrlOf({ chains }: Session, chainId: Hex): string {
  const url = chains.find(chainId)?.rpcUrls[0]
  if (url !== undefined) return url
  throw new DevnetError(
    WalletErrorCode.chainDisconnected,
    `The wallet has no RPC URL for chain ${chainId}: add the chain with one, or name one in the option knownChains.`,
  )
}

/** Sends one request to an RPC URL. @throws {DevnetError} */
export async function postRequest(
  { rpcRequests }: Session,
  url: string,
  args: RequestArguments,
  signal: AbortSignal,
): Promise<unknown> {
  const { method, params = [] } = args
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  let answer: unknown
  try {
    const text = await rpcRequests.run(() => boundedPost(url, body, { ...LIMITS, signal }))
    answer = await runPaced(parseForeignInPieces(text), new Scheduler())
  } catch {
    // The page may have chosen the URL, so errors must not reveal what answers there.
  }
  return resultOf(args, answer)
}

/** The result in an answer of another chain. @throws {DevnetError} */
function resultOf({ method }: RequestArguments, answer: unknown): unknown {
  if (isObject(answer) && 'result' in answer) return answer.result
  if (isObject(answer) && 'error' in answer) {
    throw readError(answer.error, 'The RPC of the active chain answered with an error.')
  }
  const message = `The RPC of the active chain does not answer ${method}.`
  throw new DevnetError(ErrorCode.internal, message)
}

/**
 * Methods passed on to the RPC of the active chain: reads and signed transactions. Commands to the
 * node, e.g. `evm_mine`, are left out: the wallet must not give pages control of the node.
 */
export const forwardedMethods: ReadonlySet<string> = new Set([
  'eth_baseFee',
  'eth_blobBaseFee',
  'eth_blockNumber',
  'eth_call',
  'eth_createAccessList',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getCode',
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_getLogs',
  'eth_getProof',
  'eth_getStorageAt',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
  'eth_newBlockFilter',
  'eth_newFilter',
  'eth_newPendingTransactionFilter',
  'eth_protocolVersion',
  'eth_sendRawTransaction',
  'eth_sendRawTransactionSync',
  'eth_simulateV1',
  'eth_subscribe',
  'eth_syncing',
  'eth_uninstallFilter',
  'eth_unsubscribe',
  'net_listening',
  'web3_clientVersion',
  'web3_sha3',
])
