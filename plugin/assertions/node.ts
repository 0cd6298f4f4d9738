import type { Status } from '../../devnet/types.ts'
import { isObject, isStatus, isUnknownMethod } from '../node-answers.ts'
import { exchange, isHttpUrl, NodeError } from '../rpc-client.ts'

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
  if (!isHttpUrl(url)) {
    throw new TypeError(
      `The node's address is one such as http://127.0.0.1:8545, not ${JSON.stringify(url)}.`,
    )
  }
  return async (method, ...params) => {
    const { body } = await exchange({ url }, method, params).catch((cause: unknown) => {
      throw new NodeError(-32000, `No node answers at ${url}.`, { cause })
    })
    if (isObject(body) && isObject(body.error)) {
      const { code, message } = body.error
      throw new NodeError(
        typeof code === 'number' ? code : -32000,
        `The node at ${url} refuses ${method}: ${String(message)}`,
      )
    }
    if (isObject(body) && 'result' in body) return body.result
    throw new NodeError(-32000, `What answers at ${url} is no JSON-RPC node.`)
  }
}

/**
 * What the node's clocks and mempool are at.
 *
 * @throws {TypeError} when what answers is none of these nodes
 */
export async function askStatus(ask: Ask): Promise<Status> {
  let status: unknown
  try {
    status = await ask('preconf_status')
  } catch (error) {
    if (!saysUnknownMethod(error)) throw error
    throw new TypeError(
      'The node is none of hardhat-pending-node: it does not know preconf_status.',
      {
        cause: error,
      },
    )
  }
  if (isStatus(status)) return status
  throw new TypeError(
    'The node is none of hardhat-pending-node: it answers preconf_status with no status.',
  )
}

/** Why nothing can become pre-confirmed now, with the way out; `undefined` while ticks run. */
export function frozenTicks({ ticks, sealing }: Status): string | undefined {
  if (ticks.running) return undefined
  const what = sealing.running ? 'the ticks are frozen' : 'both clocks are frozen'
  return `${what}: tick() or advance first`
}

/** Whether an error, or one that it wraps, says that the method is unknown: clients put the answer's error under their own. */
function saysUnknownMethod(error: unknown): boolean {
  for (let one = error; isObject(one); one = one.cause ?? one.error ?? one.info) {
    if (isUnknownMethod(one.code)) return true
  }
  return false
}
