import { NodeError } from '../rpc-client.ts'

/** What answers EIP-1193 requests. */
export interface Requester {
  // `never` takes the typed methods of viem and Hardhat as well as untyped ones.
  request(args: never): Promise<unknown>
}

/** What answers JSON-RPC as a provider of ethers does. */
export interface Sender {
  send(method: never, params: never): Promise<unknown>
}

/**
 * A node as assertions take it: an EIP-1193 provider or a client of viem, a provider of ethers, whatever has one as
 * `provider` (a connection of Hardhat, a devnet), or an address such as `http://127.0.0.1:8545`.
 */
export type NodeLike = string | Requester | Sender | { readonly provider: Requester | Sender }

/** Asks the node; answers the `result`. */
export type Ask = (method: string, ...params: readonly unknown[]) => Promise<unknown>

/**
 * How to ask the node.
 *
 * @throws {TypeError} when `node` is none
 */
export function askerOf(node: NodeLike): Ask {
  if (typeof node === 'string') return askerOfUrl(node)
  const provider = answers(node) ? node : providerOf(node)
  if (provider === undefined) {
    throw new TypeError(
      'The node is an address such as http://127.0.0.1:8545, or an object with request() or send(), or one that has such a provider.',
    )
  }
  if ('request' in provider) {
    // Every EIP-1193 provider takes this object, whatever methods its type names.
    const request = provider.request.bind(provider) as (args: object) => Promise<unknown>
    return (method, ...params) => request({ method, params })
  }
  // ethers takes the method's name and its parameters.
  const send = provider.send.bind(provider) as (
    method: string,
    params: readonly unknown[],
  ) => Promise<unknown>
  return (method, ...params) => send(method, params)
}

function providerOf(value: unknown): Requester | Sender | undefined {
  if (!isObject(value) || !answers(value.provider)) return undefined
  return value.provider
}

function answers(value: unknown): value is Requester | Sender {
  return (
    isObject(value) && (typeof value.request === 'function' || typeof value.send === 'function')
  )
}

function askerOfUrl(url: string): Ask {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new TypeError(
      `The node's address is one such as http://127.0.0.1:8545, not ${JSON.stringify(url)}.`,
    )
  }
  return async (method, ...params) => {
    const answer = await post(url, { jsonrpc: '2.0', id: 1, method, params })
    if (isObject(answer) && isObject(answer.error)) {
      const { code, message } = answer.error
      throw new NodeError(
        typeof code === 'number' ? code : -32000,
        `The node at ${url} refuses ${method}: ${String(message)}`,
      )
    }
    if (isObject(answer) && 'result' in answer) return answer.result
    throw new NodeError(-32000, `What answers at ${url} is no JSON-RPC node.`)
  }
}

/** The answer as JSON; `undefined` when it is none. */
async function post(url: string, request: object): Promise<unknown> {
  let text: string
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    })
    text = await response.text()
  } catch (cause) {
    throw new NodeError(-32000, `No node answers at ${url}.`, { cause })
  }
  try {
    return JSON.parse(text)
  } catch {
    // Whatever is no JSON comes from something else than a node.
    return undefined
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
