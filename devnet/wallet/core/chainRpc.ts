import * as z from 'zod'
import { DevnetError, ErrorCode } from '../../primitives/errors.ts'
import type { Hex } from '../../primitives/hex.ts'
import type { Caller } from '../../rpc/method.ts'
import type { PushConnection } from '../../stream/subscriptions.ts'
import type { RequestArguments } from '../../types.ts'
import { boundedPost } from './probe.ts'
import type { Session } from './session.ts'
import { UnsupportedMethodError, WalletErrorCode } from './walletErrors.ts'
import type { WalletClient } from './walletMethod.ts'
import { must, readParams } from './walletParams.ts'

const LIMITS = { timeout: 30_000, maxSize: 32 * 1024 * 1024 } as const

/** Methods that answer later over the same connection, which only the node in this process can. */
const SUBSCRIBING: ReadonlySet<string> = new Set(['eth_subscribe', 'eth_unsubscribe'])

const NO_PARAMS = z.undefined(must('a list')).transform(() => [])

/** Asks the active chain: this node in process, another one by its first RPC URL. @throws {DevnetError} */
export function forward(
  session: Session,
  method: string,
  params: unknown,
  client: WalletClient,
): Promise<unknown> {
  const { chains, wallet } = session
  const { active } = chains
  const args = { method, params: Array.isArray(params) ? params : readParams(NO_PARAMS, params) }
  if (active === wallet.node.chainId) return wallet.node.request(args, toCaller(client))
  if (SUBSCRIBING.has(method)) {
    throw new UnsupportedMethodError(method, wallet.settings.unsupportedMethodCode)
  }
  const url = chains.find(active)?.rpcUrls[0]
  if (url === undefined) throw new NoRpcUrlError(active)
  return postRequest(session, url, args, client.signal)
}

/** The active chain has no RPC URL: code 4901 (EIP-1193). */
export class NoRpcUrlError extends DevnetError {
  override name = 'NoRpcUrlError'
  constructor(chainId: Hex) {
    super(
      WalletErrorCode.chainDisconnected,
      `The wallet has no RPC URL for chain ${chainId}: add the chain with one, or name one in the option knownChains.`,
    )
  }
}

/** Sends one request to an RPC URL. @throws {DevnetError} */
export async function postRequest(
  { rpcRequests }: Session,
  url: string,
  { method, params = [] }: RequestArguments,
  signal: AbortSignal,
): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await parse(
    rpcRequests.run(() => boundedPost(url, body, { ...LIMITS, signal })),
    method,
  )
  if (typeof answer === 'object' && answer !== null) {
    if ('result' in answer) return answer.result
    if ('error' in answer) throw toError(answer.error)
  }
  throw unreachable(method)
}

async function parse(text: Promise<string>, method: string): Promise<unknown> {
  try {
    return JSON.parse(await text)
  } catch {
    // What is there instead is nobody's business: the URL came from a page.
    throw unreachable(method)
  }
}

function unreachable(method: string): DevnetError {
  return new DevnetError(
    ErrorCode.internal,
    `The RPC of the active chain does not answer ${method}.`,
  )
}

/** An error that another node answered, with nothing in it but what JSON-RPC knows. */
function toError(error: unknown): DevnetError {
  const { code, message, data }: { code?: unknown; message?: unknown; data?: unknown } =
    typeof error === 'object' && error !== null ? error : {}
  return new DevnetError(
    typeof code === 'number' ? code : ErrorCode.internal,
    typeof message === 'string' ? message : 'The RPC of the active chain answered an error.',
    { data },
  )
}

/** The wallet's client as the node sees it; what the node pushes becomes `message` events (EIP-1193). */
export function toCaller(client: WalletClient): Caller {
  return {
    signal: client.signal,
    origin: client.origin ?? undefined,
    subscribe(): PushConnection | undefined {
      const connection = client.subscribe()
      if (connection === undefined) return undefined
      return {
        notify: (type, params) =>
          connection.notify(
            'wallet_event',
            `{"name":"message","data":{"type":${JSON.stringify(type)},"data":${params}}}`,
          ),
        onClose: (listener) => connection.onClose(listener),
      }
    },
  }
}
