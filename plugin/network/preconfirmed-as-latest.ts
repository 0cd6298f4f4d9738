import { AsyncLocalStorage } from 'node:async_hooks'
import type { JsonRpcRequest, JsonRpcResponse } from 'hardhat/types/providers'
import { isObject } from '../../devnet/pluginApi.ts'

/** Work to which a pre-confirmed transaction is confirmed. */
interface Scope {
  /** Whose requests it is about; `undefined` once the work is done. */
  connection?: object
  /** The work that began this one, with a connection of its own. */
  outer?: Scope | undefined
}

const scopes = new AsyncLocalStorage<Scope>()

/**
 * Runs `work` of another plugin that waits for a block, or takes the time from one: in its requests
 * over `connection`, the pending block is the latest one as soon as it holds a transaction. Other
 * requests at the same time are answered as ever.
 *
 * @returns what `work` returns
 */
export async function withPreconfirmedAsLatest<Result>(
  connection: object,
  work: () => Promise<Result>,
): Promise<Result> {
  const scope: Scope = { connection, outer: scopes.getStore() }
  try {
    return await scopes.run(scope, work)
  } finally {
    // What `work` leaves behind, such as an open socket, keeps the scope but not the connection.
    delete scope.connection
    delete scope.outer
  }
}

/** True if this async context runs inside {@link withPreconfirmedAsLatest} of the connection. */
export function takesPreconfirmedAsLatest(connection: object): boolean {
  let scope = scopes.getStore()
  while (scope !== undefined && scope.connection !== connection) scope = scope.outer
  return scope !== undefined
}

/** Methods that read the state at a block. */
export const STATE_METHODS: ReadonlySet<string> = new Set([
  'eth_call',
  'eth_getBalance',
  'eth_getCode',
  'eth_getStorageAt',
  'eth_getTransactionCount',
])

type Send = (request: JsonRpcRequest) => Promise<JsonRpcResponse>

/**
 * Answers a request with the pending block as the latest one. It has the hash of the newest sealed
 * block, because clients cannot read a block without one. In reads of state, the node itself takes
 * the number of the pending block for `pending`.
 */
export async function answerWithPreconfirmed(
  request: JsonRpcRequest,
  send: Send,
): Promise<JsonRpcResponse> {
  const { id, jsonrpc, method } = request
  const params: unknown[] = Array.isArray(request.params) ? request.params : []
  if (STATE_METHODS.has(method)) {
    const named = params.map((param) => (param === 'latest' ? 'pending' : param))
    return await send({ ...request, params: named })
  }
  if (method !== 'eth_blockNumber' && method !== 'eth_getBlockByNumber') return await send(request)
  const [reference, isFull] = method === 'eth_blockNumber' ? ['latest', false] : params
  const response = await send({
    ...request,
    method: 'eth_getBlockByNumber',
    params: ['pending', isFull],
  })
  const block = 'result' in response ? response.result : undefined
  const isUsed =
    isObject(block) &&
    Array.isArray(block.transactions) &&
    block.transactions.length > 0 &&
    (reference === 'latest' || reference === block.number)
  if (!isUsed) return await send(request)
  const result = method === 'eth_blockNumber' ? block.number : { ...block, hash: block.parentHash }
  return { id, jsonrpc, result }
}
