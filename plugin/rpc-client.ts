import { unescape as decoded } from 'node:querystring'
import type { Provider, Status } from '../devnet/index.ts'
import {
  boundedText,
  DevnetError,
  ErrorCode,
  isObject,
  jsonIn,
  LongBodyError,
  OptionError,
} from '../devnet/pluginApi.ts'

/** ms that a node has to answer: longer than the trace that a report may ask for. */
const PATIENCE = 90_000

/** Bytes of the longest answer. */
const LARGEST_ANSWER = 16 << 20

/** Sends one JSON-RPC request to a node; resolves with its `result`. */
export type Ask = (method: string, ...params: readonly unknown[]) => Promise<unknown>

export function asking(provider: Pick<Provider, 'request'>): Ask {
  return (method, ...params) => provider.request({ method, params })
}

/** The node does not answer, is not a pending-node, or refuses a request. */
export class NodeError extends DevnetError {
  override name = 'NodeError'
}

/** Nothing answers, or no JSON-RPC node. */
export class SilentNodeError extends NodeError {
  override name = 'SilentNodeError'
}

export interface NodeAddress {
  readonly url: string
  /** HTTP headers to add to each request. Default: none */
  readonly headers?: Readonly<Record<string, string>>
  /** Gives requests up when it aborts. Default: each after 90 s */
  readonly signal?: AbortSignal
}

/**
 * Calls one of the `preconf_` methods of a node.
 *
 * @param program - how the user starts a node, for messages. Default: `npx hardhat pending-node`
 * @returns the status of the node after the command
 * @throws {OptionError} if `url` is not an http address
 * @throws {NodeError} if no pending-node answers at `url`, or it refuses the command
 */
export async function callNode(
  address: NodeAddress,
  { method, params = [] }: { method: `preconf_${string}`; params?: readonly object[] },
  program = 'npx hardhat pending-node',
): Promise<Status> {
  if (!isHttpUrl(address.url)) {
    throw new OptionError(
      `--url must be an address such as http://127.0.0.1:8545, not ${JSON.stringify(address.url)}.`,
    )
  }
  const node = withoutCredentials(address)
  const { url } = node
  const hint = `Start one with "${program}", or name another with --url.`
  const answer = await request(node, { method, params }, ` ${hint}`).catch((error: unknown) => {
    throw isUnknownMethod(error) ? foreign(url, `it does not know ${method}`, error) : error
  })
  if (isStatus(answer)) return answer
  throw foreign(url, `it answers ${method} without a status`)
}

/** Moves credentials to a header: `fetch` takes none in a URL, and no message may show them. */
function withoutCredentials(address: NodeAddress): NodeAddress {
  const bare = new URL(address.url)
  if (bare.username === '' && bare.password === '') return address
  // Unlike decodeURIComponent, it takes a bare % for itself.
  const pair = [bare.username, bare.password].map((part) => decoded(part)).join(':')
  bare.username = ''
  bare.password = ''
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  return { ...address, url: bare.href, headers: { authorization, ...address.headers } }
}

function foreign(url: string, reason: string, cause?: unknown): NodeError {
  const message = `What answers at ${originOf(url)} is not a pending-node: ${reason}. Name another with --url.`
  return new NodeError(ErrorCode.methodNotFound, message, { cause })
}

/**
 * Sends one JSON-RPC request over HTTP.
 *
 * @param hint - text after the message if no node answers. Default: none
 * @returns the `result` of the answer
 * @throws {NodeError} if no node answers, or it answers with an error; then with that error's code
 */
export async function request(
  address: NodeAddress,
  { method, params }: { readonly method: string; readonly params: readonly unknown[] },
  hint = '',
): Promise<unknown> {
  const { url, headers, signal = AbortSignal.timeout(PATIENCE) } = withoutCredentials(address)
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    redirect: 'error',
    signal,
  }).catch((cause: unknown) => {
    const late = signal.aborted ? ' in time' : ''
    const message = `No node answers at ${originOf(url)}${late}.${hint}`
    throw new SilentNodeError(ErrorCode.server, message, { cause })
  })
  let problem = `HTTP ${response.status}`
  const text = await boundedText(response.body, LARGEST_ANSWER).catch((error: unknown) => {
    if (signal.aborted) problem = 'an answer that does not end'
    else if (error instanceof LongBodyError) problem = error.message
    return ''
  })
  const body = jsonIn(text)
  if (isObject(body) && isObject(body.error)) {
    const { code, message } = body.error
    const words = typeof message === 'string' ? message : 'it does not say why'
    const text = `The node at ${originOf(url)} refuses ${method}: ${words}`
    throw new NodeError(typeof code === 'number' ? code : ErrorCode.server, text)
  }
  if (isObject(body) && 'result' in body) return body.result
  const message = `What answers at ${originOf(url)} is not a JSON-RPC node (${problem}).${hint}`
  throw new SilentNodeError(ErrorCode.server, message)
}

/** The part of an address that messages may show: the rest may hold a provider's key. */
export function originOf(url: string): string {
  return new URL(url).origin
}

export function isHttpUrl(url: string): boolean {
  return /^https?:$/.test(URL.parse(url)?.protocol ?? '')
}

/** Checks the parts only: any node that knows `preconf_status` answers with a whole status. */
export function isStatus(value: unknown): value is Status {
  const parts = ['ticks', 'sealing', 'latest', 'pending', 'mempool', 'dropped']
  return isObject(value) && parts.every((part) => typeof value[part] === 'object' && value[part])
}

/** True for an error with which a node has answered. */
export function isAnswer(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && typeof error.code === 'number'
}

/** True if a node answered with this error because it does not know the method. */
export function isUnknownMethod(error: unknown): boolean {
  // -32601 by JSON-RPC; -32004 is what `hardhat node` says (EIP-1474).
  return isObject(error) && (error.code === -32601 || error.code === -32004)
}
