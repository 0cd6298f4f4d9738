import type { Hex, Status } from '../../devnet/index.ts'
import { isBytes, isObject, plainText } from '../../devnet/pluginApi.ts'
import { type Ask, isHttpUrl, isStatus, isUnknownMethod, request } from '../rpc-client.ts'

/** An EIP-1193 provider. */
export interface Requester {
  // `never` accepts providers with typed methods (viem, Hardhat) as well as untyped ones.
  request(args: never): Promise<unknown>
}

/** A JSON-RPC provider of ethers. */
export interface Sender {
  send(method: never, params: never): Promise<unknown>
}

/**
 * The node that an assertion asks: an EIP-1193 provider or a client of viem, a provider of ethers,
 * an object with either as `provider` (a connection of Hardhat, a devnet), or an address such as
 * `http://127.0.0.1:8545`.
 */
export type NodeLike = string | Requester | Sender | { readonly provider: Requester | Sender }

/** A transaction: its hash, or an object with `hash`, as ethers' `sendTransaction` returns. */
export type TransactionLike = string | { readonly hash: string }

/** An account: its address, or an object with one as `address` (viem) or `target` (ethers). */
export type AccountLike = string | { readonly address: string } | { readonly target: unknown }

/** @throws {TypeError} if `node` is not a {@link NodeLike} */
export function askerOf(node: NodeLike): Ask {
  if (typeof node === 'string') return askerOfUrl(node)
  const provider = isProvider(node) ? node : providerOf(node)
  if (provider === undefined) {
    throw new TypeError(
      'The node is an address such as http://127.0.0.1:8545, an object with request() or send(), or one with such a provider.',
    )
  }
  if ('request' in provider) {
    // Every EIP-1193 provider takes this object, whatever methods its type names.
    const ask = provider.request.bind(provider) as (args: object) => Promise<unknown>
    return (method, ...params) => ask({ method, params })
  }
  // ethers takes the name of the method and its parameters.
  const send = provider.send.bind(provider) as (
    method: string,
    params: readonly unknown[],
  ) => Promise<unknown>
  return (method, ...params) => send(method, params)
}

function providerOf(value: unknown): Requester | Sender | undefined {
  return isObject(value) && isProvider(value.provider) ? value.provider : undefined
}

function isProvider(value: unknown): value is Requester | Sender {
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
  return (method, ...params) => request({ url }, { method, params })
}

/**
 * The status of the node's clocks and mempool.
 *
 * @throws {TypeError} if the node is not a pending-node
 */
export async function askStatus(ask: Ask): Promise<Status> {
  let status: unknown
  try {
    status = await ask('preconf_status')
  } catch (error) {
    if (!wrapsUnknownMethod(error)) throw error
    const message = 'The node is not a pending-node: it does not know preconf_status.'
    throw new TypeError(message, { cause: error })
  }
  if (isStatus(status)) return status
  throw new TypeError('The node is not a pending-node: it answers preconf_status without a status.')
}

/** True if the node does not know the method: clients wrap the node's error in their own. */
function wrapsUnknownMethod(error: unknown): boolean {
  for (let one = error; isObject(one); one = one.cause ?? one.error ?? one.info) {
    if (isUnknownMethod(one)) return true
  }
  return false
}

/** @throws {TypeError} if `subject` is not a {@link TransactionLike} */
export function hashOf(subject: unknown): Hex {
  const hash = isObject(subject) ? subject.hash : subject
  if (isBytes(hash, 32)) return lowerCase(hash)
  throw new TypeError(
    `A transaction is named by its hash, 0x and 64 hexadecimal digits, not by ${quote(subject)}.`,
  )
}

/** @throws {TypeError} if `subject` is not an {@link AccountLike} */
export function addressOf(subject: unknown): Hex {
  const address = isObject(subject) ? (subject.address ?? subject.target) : subject
  if (isBytes(address, 20)) return lowerCase(address)
  throw new TypeError(
    `An account is named by its address, 0x and 40 hexadecimal digits, not by ${quote(subject)}.`,
  )
}

export function lowerCase(hex: Hex): Hex {
  return `0x${hex.slice(2).toLowerCase()}`
}

/** A value as an error message shows it. */
export function quote(value: unknown): string {
  if (value instanceof Promise) return 'a promise: await it first'
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'bigint') return `${value}n`
  if (Array.isArray(value)) return 'an array'
  return plainText(value)
}
