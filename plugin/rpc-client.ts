import { DevnetError, ErrorCode, OptionError } from '../devnet/errors.ts'
import type { Status } from '../devnet/types.ts'

/** A node does not answer, is none of ours, or refuses a command. */
export class NodeError extends DevnetError {
  override name = 'NodeError'
}

/**
 * Calls one of the `preconf_` methods of the node at `url`.
 *
 * @param program - how the user starts a node, for messages
 * @returns the node's status after the work is done
 * @throws {OptionError} when `url` is no http address
 * @throws {NodeError} when there is no node, one without these methods, or one that refuses
 */
export async function callNode(
  url: string,
  method: `preconf_${string}`,
  params: readonly object[],
  program = 'npx hardhat pending-node',
): Promise<Status> {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new OptionError(
      `--url must be an address such as http://127.0.0.1:8545, not ${JSON.stringify(url)}.`,
    )
  }
  const response = await post(url, { jsonrpc: '2.0', id: 1, method, params }, program)
  const answer = await jsonOf(response, program)
  if (isObject(answer) && isObject(answer.error)) throw refusal(url, method, answer.error)
  if (isObject(answer) && isStatus(answer.result)) return answer.result
  throw foreign(url, `it answers ${method} with no status (HTTP ${response.status})`)
}

async function post(url: string, request: object, program: string): Promise<Response> {
  try {
    return await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
      redirect: 'error',
    })
  } catch (cause) {
    throw unreachable(url, program, cause)
  }
}

/** The answer as JSON; `undefined` when it is none, which only something else than a node sends. */
async function jsonOf(response: Response, program: string): Promise<unknown> {
  try {
    return await response.json()
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw unreachable(response.url, program, error)
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
  // -32004 is what `hardhat node` says about a method that it does not know (EIP-1474).
  if (error.code === ErrorCode.methodNotFound || error.code === -32004) {
    return foreign(url, `it does not know ${method}`)
  }
  const code = typeof error.code === 'number' ? error.code : ErrorCode.server
  return new NodeError(code, `The node at ${url} refuses ${method}: ${String(error.message)}`)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Looks at the parts only: a node that knows the method answers with a whole status. */
function isStatus(value: unknown): value is Status {
  const parts = ['ticks', 'sealing', 'latest', 'pending', 'mempool', 'dropped']
  return isObject(value) && parts.every((part) => isObject(value[part]))
}
