import { DevnetError, ErrorCode, OptionError } from '../devnet/primitives/errors.ts'
import type { Status } from '../devnet/types.ts'
import { isObject, isStatus, isUnknownMethod } from './node-answers.ts'

/** A node does not answer, is none of ours, or refuses a command. */
export class NodeError extends DevnetError {
  override name = 'NodeError'
}

/** Where a node answers. */
export interface NodeAddress {
  readonly url: string
  /** Headers that each request has besides its own. Default: none */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Calls one of the `preconf_` methods of a node.
 *
 * @param program - how the user starts a node, for messages
 * @returns the node's status after the work is done
 * @throws {OptionError} when its `url` is no http address
 * @throws {NodeError} when there is no node, one without these methods, or one that refuses
 */
export async function callNode(
  node: NodeAddress,
  method: `preconf_${string}`,
  params: readonly object[],
  program = 'npx hardhat pending-node',
): Promise<Status> {
  const { url } = node
  if (!isHttpUrl(url)) {
    throw new OptionError(
      `--url must be an address such as http://127.0.0.1:8545, not ${JSON.stringify(url)}.`,
    )
  }
  const { body, status } = await exchange(node, method, params).catch((cause: unknown) => {
    throw unreachable(url, program, cause)
  })
  if (isObject(body) && isObject(body.error)) throw refusal(url, method, body.error)
  if (isObject(body) && isStatus(body.result)) return body.result
  throw foreign(url, `it answers ${method} with no status (HTTP ${status})`)
}

export function isHttpUrl(url: string): boolean {
  return /^https?:$/.test(URL.parse(url)?.protocol ?? '')
}

/**
 * Sends one JSON-RPC request over HTTP.
 *
 * @returns the status of HTTP, and the answer; `undefined` where that is no JSON, which only something else than a node sends
 * @throws {Error} when nobody answers
 */
export async function exchange(
  { url, headers }: NodeAddress,
  method: string,
  params: readonly unknown[],
): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    redirect: 'error',
  })
  return { status: response.status, body: jsonOf(await response.text()) }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function unreachable(url: string, program: string, cause: unknown): NodeError {
  return new NodeError(
    ErrorCode.server,
    `No node answers at ${url}. Start one with "${program}", or name another with --url.`,
    { cause },
  )
}

function foreign(url: string, reason: string): NodeError {
  return new NodeError(
    ErrorCode.methodNotFound,
    `What answers at ${url} is not a pending-node: ${reason}. Name another with --url.`,
  )
}

function refusal(url: string, method: string, error: Record<string, unknown>): NodeError {
  if (isUnknownMethod(error.code)) return foreign(url, `it does not know ${method}`)
  const code = typeof error.code === 'number' ? error.code : ErrorCode.server
  return new NodeError(code, `The node at ${url} refuses ${method}: ${String(error.message)}`)
}
